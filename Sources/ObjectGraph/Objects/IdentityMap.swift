import Synchronization

/// The live objects of one entity in one context, by id.
///
/// Open addressing with linear probing over 16-byte slots; ids made one after another by one
/// process lie side by side, so that a table read in order is found in order. Should such runs of
/// two processes overlap, which would make each id as far from home as the run is long, the map
/// scatters them in eights. Ids of a file may have been chosen to meet even then; the map scatters
/// those by numbers that only this process knows. Who is farther from home keeps the slot (Robin
/// Hood), so that a removal in a long run shifts back only those who were moved on. The map grows at
/// a half and shrinks at an eighth.
///
/// Objects are not retained. An object's last reference may be dropped on any thread, and its deinit
/// takes it out; a lock is all that the owner and a dying object share. See ``Liveness`` for why a
/// pointer found in a slot may be followed.
package final class IdentityMap: Sendable {
  private let slots: Mutex<IdentitySlots>

  /// An empty map; tests choose the numbers by which hostile ids are scattered.
  package init(secret: Secret = .ofProcess) { slots = Mutex(IdentitySlots(secret)) }

  /// Two numbers by which hostile ids are scattered.
  package struct Secret: Sendable {
    let addend: UInt64
    let factor: UInt64

    package init(_ addend: UInt64, _ factor: UInt64) {
      // An odd factor loses no bit.
      (self.addend, self.factor) = (addend, factor | 1)
    }

    /// The numbers of this process, drawn at random.
    package static let ofProcess = Secret(.random(in: 0...(.max)), .random(in: 0...(.max)))
  }

  /// The live object with an id.
  @inline(__always)
  package func object(_ key: Int64) -> GraphObject? {
    let found = slots.withLock { slots -> Liveness.Retained? in
      guard let pointer = slots.pointer(key) else { return nil }
      return Liveness.retain(pointer)
    }
    return found?.take()
  }

  /// Registers an object whose id has no live object.
  package func insert(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.insert(key, pointer) }
  }

  /// Takes an object out, also from its deinit.
  package func remove(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.remove(key, pointer) }
  }

  /// Forgets all objects: nobody is left who would look for one.
  package func close() { slots.withLock { $0.close() } }

  /// The live objects, in no order.
  package var live: [GraphObject] {
    let found = slots.withLock { slots in slots.pointers.compactMap(Liveness.retain) }
    return found.map { $0.take() }
  }

  /// The number of objects that are not yet taken out.
  package var count: Int { slots.withLock { $0.count } }

  /// The number of slots there is memory for.
  package var capacity: Int { slots.withLock { $0.capacity } }

  /// The number of slots that the search for a key looks at.
  package func probes(for key: Int64) -> Int { slots.withLock { $0.probes(for: key) } }

  /// The distance of the farthest key from its home, in slots.
  package var reach: Int { slots.withLock { $0.reach } }

  /// Whether each key is found from its home, and the count is right.
  package func checkInvariants() -> Bool { slots.withLock { $0.checkInvariants() } }
}

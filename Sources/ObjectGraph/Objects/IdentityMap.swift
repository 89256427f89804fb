import Synchronization

/// The live objects of one entity in one context, by id.
///
/// The map uses open addressing with linear probing over slots of 16 bytes. Ids that one process
/// made one after another lie side by side, so that a table read in order is found in order. Where
/// such runs of two processes overlap, each id would be as far from its home as the run is long.
/// The map then scatters ids in groups of eight. Ids of a file may have been chosen to meet even
/// then, and the map scatters these by numbers that only this process knows.
///
/// An entry that is farther from home keeps the slot (Robin Hood hashing), so that a removal in a
/// long run shifts back only entries that were moved on. The map grows when half of its slots are
/// used, and shrinks at an eighth.
///
/// Objects are not retained. The last reference to an object may be released on any thread, and its
/// deinit removes it from the map. The owner of the map and a dying object share nothing but the
/// lock. See ``Liveness`` for why a pointer found in a slot may be followed.
package final class IdentityMap: Sendable {
  private let slots: Mutex<IdentitySlots>

  /// Creates an empty map. Tests choose the numbers by which hostile ids are scattered.
  package init(secret: Secret = .ofProcess) { slots = Mutex(IdentitySlots(secret)) }

  /// The two numbers by which hostile ids are scattered.
  package struct Secret: Sendable {
    let addend: UInt64
    let factor: UInt64

    package init(_ addend: UInt64, _ factor: UInt64) {
      // An odd factor loses no bit.
      (self.addend, self.factor) = (addend, factor | 1)
    }

    /// The random numbers of this process.
    package static let ofProcess = Secret(.random(in: 0...(.max)), .random(in: 0...(.max)))
  }

  /// Returns the live object with an id; nil if there is none.
  ///
  /// In random order, a hit misses the cache at the slot and at the object. So the code between two
  /// hits counts few references, checks no exclusivity and calls no unspecialised function. The
  /// processor then begins the next hit while it waits for memory (benchmark `identity hit`).
  @inline(__always)
  package func object(_ key: Int64) -> GraphObject? {
    let found = slots.withLock { slots -> Liveness.Retained? in
      guard let pointer = slots.pointer(key) else { return nil }
      return Liveness.retain(pointer)
    }
    return found?.take()
  }

  /// Adds an object. The map must have no live object with its id.
  package func insert(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.insert(key, pointer) }
  }

  /// Removes an object. Its deinit may call this.
  package func remove(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.remove(key, pointer) }
  }

  /// Forgets all objects, because no lookup can follow.
  package func close() { slots.withLock { $0.close() } }

  /// The live objects, in no order.
  package var live: [GraphObject] {
    let found = slots.withLock { slots in slots.pointers.compactMap(Liveness.retain) }
    return found.map { $0.take() }
  }

  /// The number of objects that were not removed yet.
  package var count: Int { slots.withLock { $0.count } }

  /// The number of slots that the map has memory for.
  package var capacity: Int { slots.withLock { $0.capacity } }

  /// Returns the number of slots that the search for a key looks at.
  package func probes(for key: Int64) -> Int { slots.withLock { $0.probes(for: key) } }

  /// The greatest distance of a key from its home, in slots.
  package var reach: Int { slots.withLock { $0.reach } }

  /// Returns whether each key is found from its home, and the count is right.
  package func checkInvariants() -> Bool { slots.withLock { $0.checkInvariants() } }
}

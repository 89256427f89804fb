import Synchronization

/// The live objects of one entity in one context, stored under their ids.
///
/// The map is a hash table with linear probing and slots of 16 bytes. The home of an id is the slot
/// where its search begins. Ids that one process made one after another have homes side by side. So
/// lookups in the order of the ids visit the slots in order.
///
/// When the homes of the ids of two processes overlap, ids get far from their homes. The map then
/// scatters ids in groups of eight. If that does not help, the ids were probably chosen to collide,
/// as in a hostile file. The map then scatters them by random numbers that are secret to this
/// process.
///
/// If two entries need the same slot, the entry farther from its home gets the slot (Robin Hood
/// hashing). A removal therefore shifts back only entries that are not at their homes. The map
/// grows when half of its slots are used, and shrinks when less than an eighth is used.
///
/// Objects are not retained. The last reference to an object may be released on any thread, and the
/// object's deinit removes it from the map. The map's owner and the deinit use the map only under
/// its lock. See ``Liveness`` for the reason why the pointers in the slots can be used safely.
package final class IdentityMap: Sendable {
  private let slots: Mutex<IdentitySlots>

  /// Creates an empty map. Tests choose the secret numbers by which ids are scattered.
  package init(secret: Secret = .ofProcess) { slots = Mutex(IdentitySlots(secret)) }

  /// The two numbers by which ids are scattered if they were chosen to collide.
  package struct Secret: Sendable {
    let addend: UInt64
    let factor: UInt64

    package init(_ addend: UInt64, _ factor: UInt64) {
      // Multiplying by an odd factor loses no information.
      (self.addend, self.factor) = (addend, factor | 1)
    }

    /// The random numbers of this process, which no other program can know.
    package static let ofProcess = Secret(.random(in: 0...(.max)), .random(in: 0...(.max)))
  }

  /// Returns the live object with an id; nil if there is none.
  ///
  /// If ids are looked up in random order, each successful lookup waits for memory twice: for the
  /// slot and for the object. The function therefore does little reference counting, checks no
  /// exclusivity and calls no unspecialised function. So the processor can begin the next lookup
  /// during the wait (benchmark `identity hit`).
  @inline(__always)
  package func object(_ key: Int64) -> GraphObject? {
    let found = slots.withLock { slots -> Liveness.Retained? in
      guard let pointer = slots.pointer(key) else { return nil }
      return Liveness.tryRetain(pointer)
    }
    return found?.take()
  }

  /// Makes room for some more objects, so that the map does not grow in steps.
  package func reserve(_ more: Int) { slots.withLock { $0.reserve(more) } }

  /// Adds an object. The map must have no live object with its id.
  package func insert(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.insert(key, pointer) }
  }

  /// Removes an object. The object's deinit may call this function.
  package func remove(_ object: GraphObject) {
    let pointer = Liveness.Pointer(object)
    let key = object.key
    slots.withLock { $0.remove(key, pointer) }
  }

  /// Removes all objects. The map must not be used for lookups after this call.
  package func close() { slots.withLock { $0.close() } }

  /// The live objects, in any order.
  package var live: [GraphObject] {
    let found = slots.withLock { slots in slots.pointers.compactMap(Liveness.tryRetain) }
    return found.map { $0.take() }
  }

  /// The number of objects that have not been removed. Some of them may already be in their deinit.
  package var count: Int { slots.withLock { $0.count } }

  /// The number of slots in the map's memory.
  package var capacity: Int { slots.withLock { $0.capacity } }

  /// Returns the number of slots that the search for an id visits.
  package func probes(for key: Int64) -> Int { slots.withLock { $0.probes(for: key) } }

  /// The greatest distance of an id from its home, in slots.
  package var reach: Int { slots.withLock { $0.reach } }

  /// Returns whether a search finds each id, and the count is right.
  package func checkInvariants() -> Bool { slots.withLock { $0.checkInvariants() } }
}

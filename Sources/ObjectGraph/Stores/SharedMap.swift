/// A dictionary whose copies share memory. A change copies only the nodes on the way to the changed
/// entry.
///
/// - Complexity: A change costs O(log *n*), even if a copy shares the memory.
struct SharedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private indirect enum MapNode: Sendable {
    case empty
    case entries([(key: Key, value: Value)])
    case branch([MapNode])
  }

  /// The greatest number of entries in a node. A node with more entries becomes a branch.
  private static var capacity: Int { 8 }
  /// The number of bits of a hash that choose a child of a branch.
  private static var bits: UInt { 4 }

  private var root = MapNode.empty
  private(set) var count = 0

  subscript(key: Key) -> Value? {
    get {
      var node = root
      var hash = UInt(bitPattern: key.hashValue)
      while true {
        switch node {
        case .empty: return nil
        case .entries(let entries): return entries.first { $0.key == key }?.value
        case .branch(let children):
          node = children[Int(hash & (1 << Self.bits - 1))]
          hash >>= Self.bits
        }
      }
    }
    set { change(key) { $0 = newValue } }
  }

  /// Updates the value of a key by a closure. The closure gets nil if the key has no value, and
  /// sets nil to remove the value. If no copy shares the value, it is changed in place.
  mutating func change(_ key: Key, _ body: (inout Value?) -> Void) {
    count += Self.change(&root, key, UInt(bitPattern: key.hashValue), Self.bits, body)
  }

  /// The entries, in any order.
  var all: [(key: Key, value: Value)] {
    var all: [(key: Key, value: Value)] = []
    all.reserveCapacity(count)
    var waiting = [root]
    while let node = waiting.popLast() {
      switch node {
      case .empty: break
      case .entries(let entries): all += entries
      case .branch(let children): waiting += children
      }
    }
    return all
  }

  /// Updates the value of a key by a closure. Returns by how much the number of entries grew: 1, 0
  /// or -1.
  ///
  /// A hash has 64 bits, so the recursion is at most 16 levels deep.
  private static func change(
    _ node: inout MapNode, _ key: Key, _ hash: UInt, _ used: UInt, _ body: (inout Value?) -> Void
  ) -> Int {
    switch node {
    case .empty:
      var value: Value?
      body(&value)
      guard let value else { return 0 }
      node = .entries([(key, value)])
      return 1
    case .entries(var entries):
      // The entries are moved out of the node, so that they are not shared and can change in place.
      node = .empty
      defer { node = entries.isEmpty ? .empty : split(entries, used) }
      if let index = entries.firstIndex(where: { $0.key == key }) {
        var value: Value? = entries[index].value
        entries.swapAt(index, entries.count - 1)
        entries.removeLast()
        body(&value)
        guard let value else { return -1 }
        entries.append((key, value))
        return 0
      }
      var value: Value?
      body(&value)
      guard let value else { return 0 }
      entries.append((key, value))
      return 1
    case .branch(var children):
      node = .empty
      defer { node = .branch(children) }
      return change(
        &children[Int(hash & (1 << bits - 1))], key, hash >> bits, used + bits, body)
    }
  }

  private static func split(_ entries: [(key: Key, value: Value)], _ used: UInt) -> MapNode {
    guard entries.count > capacity, used <= UInt(UInt.bitWidth) else { return .entries(entries) }
    var children = [[(key: Key, value: Value)]](repeating: [], count: 1 << Int(bits))
    for entry in entries {
      let hash = UInt(bitPattern: entry.key.hashValue) >> (used - bits)
      children[Int(hash & (1 << bits - 1))].append(entry)
    }
    return .branch(children.map { $0.isEmpty ? .empty : .entries($0) })
  }
}

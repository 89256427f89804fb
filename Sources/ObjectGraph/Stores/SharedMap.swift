/// A dictionary whose copies share memory. A change copies only the nodes on the way to the changed
/// entry.
///
/// - Complexity: A change costs O(log *n*), even if a copy shares the memory.
struct SharedMap<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  /// A leaf with entries, or a branch with 16 children.
  ///
  /// Of the two arrays, one is empty. An enumeration would keep its case in bits of the pointer, and
  /// the leak sanitizer would take what lives at the end of a process for lost.
  private struct MapNode: Sendable {
    var entries: [(key: Key, value: Value)] = []
    var children: [MapNode] = []
  }

  /// The greatest number of entries in a node. A node with more entries becomes a branch.
  private static var capacity: Int { 8 }
  /// The number of bits of a hash that choose a child of a branch.
  private static var bits: UInt { 4 }

  private var root = MapNode()
  private(set) var count = 0

  subscript(key: Key) -> Value? {
    get {
      var node = root
      var hash = UInt(bitPattern: key.hashValue)
      while !node.children.isEmpty {
        node = node.children[Int(hash & (1 << Self.bits - 1))]
        hash >>= Self.bits
      }
      return node.entries.first { $0.key == key }?.value
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
      all += node.entries
      waiting += node.children
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
    guard node.children.isEmpty else {
      return change(
        &node.children[Int(hash & (1 << bits - 1))], key, hash >> bits, used + bits, body)
    }
    let index = node.entries.firstIndex { $0.key == key }
    // The value is moved out of the node, so that it is not shared and can change in place.
    var value = index.map { index in
      node.entries.swapAt(index, node.entries.count - 1)
      return node.entries.removeLast().value
    }
    body(&value)
    if let value {
      node.entries.append((key, value))
      if node.entries.count > capacity, used <= UInt(UInt.bitWidth) { split(&node, used) }
    }
    return (value == nil ? 0 : 1) - (index == nil ? 0 : 1)
  }

  /// Makes a branch of a leaf.
  private static func split(_ node: inout MapNode, _ used: UInt) {
    var children = [MapNode](repeating: MapNode(), count: 1 << Int(bits))
    for entry in node.entries {
      let hash = UInt(bitPattern: entry.key.hashValue) >> (used - bits)
      children[Int(hash & (1 << bits - 1))].entries.append(entry)
    }
    node = MapNode(children: children)
  }
}

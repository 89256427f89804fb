/// Those who wait to be called in a round, by hops from the root, then by registration.
///
/// A change usually concerns many at once, and they arrive nearly in order: such a run is sorted
/// once. What callbacks add later goes to a small heap beside it.
struct RoundQueue {
  private struct Item {
    /// Hops in the upper 24 bits, registration number in the lower 40.
    let order: UInt64
    let listener: Listener
    let core: Core
  }

  private var run: [Item] = []
  private var cursor = 0
  private var isSorted = true
  private var heap: [Item] = []

  /// Queues a listener, or moves it to where it belongs now.
  mutating func add(_ listener: Listener, _ core: Core, depth: Int) {
    let order = UInt64(min(depth, 0xFF_FFFF)) << 40 | listener.number & 0xFF_FFFF_FFFF
    guard listener.queuedAt != order else { return }
    listener.queuedAt = order
    let item = Item(order: order, listener: listener, core: core)
    if cursor == 0 {
      if let last = run.last, last.order > order { isSorted = false }
      run.append(item)
    } else {
      push(item)
    }
  }

  /// The next to be called.
  mutating func next() -> (Listener, Core)? {
    while let item = popFirst() {
      guard item.listener.queuedAt == item.order else { continue }
      item.listener.queuedAt = nil
      return (item.listener, item.core)
    }
    return nil
  }

  /// Forgets everybody.
  mutating func removeAll() {
    for item in run[cursor...] { item.listener.queuedAt = nil }
    for item in heap { item.listener.queuedAt = nil }
    self = RoundQueue()
  }

  private mutating func popFirst() -> Item? {
    if !isSorted {
      run = Self.sorted(run)
      isSorted = true
    }
    guard cursor < run.count else {
      if let first = popHeap() { return first }
      run.removeAll(keepingCapacity: true)
      cursor = 0
      return nil
    }
    if let first = heap.first, first.order < run[cursor].order { return popHeap() }
    cursor += 1
    return run[cursor - 1]
  }

  /// Sorts by radix of the bytes in which the orders differ: linear, whatever order they come in.
  private static func sorted(_ items: [Item]) -> [Item] {
    guard items.count > 64 else { return items.sorted { $0.order < $1.order } }
    var keys = items.indices.map { (order: items[$0].order, index: $0) }
    var scratch = keys
    let differing = items.reduce(0) { $0 | ($1.order ^ items[0].order) }
    for shift in stride(from: UInt64(0), to: 64, by: 8) where (differing >> shift) & 0xFF != 0 {
      var starts = [Int](repeating: 0, count: 257)
      for key in keys { starts[Int((key.order >> shift) & 0xFF) + 1] += 1 }
      for digit in 1...256 { starts[digit] += starts[digit - 1] }
      for key in keys {
        let digit = Int((key.order >> shift) & 0xFF)
        scratch[starts[digit]] = key
        starts[digit] += 1
      }
      swap(&keys, &scratch)
    }
    return keys.map { items[$0.index] }
  }

  private mutating func push(_ item: Item) {
    heap.append(item)
    var index = heap.count - 1
    while index > 0, heap[(index - 1) / 2].order > heap[index].order {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func popHeap() -> Item? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2]
      where child < heap.count && heap[child].order < heap[least].order {
        least = child
      }
      if least == index { return first }
      heap.swapAt(index, least)
      index = least
    }
  }
}

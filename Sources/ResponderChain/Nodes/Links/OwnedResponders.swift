/// The responders that one responder owns, in order: an array with room in front.
///
/// Removing the first of many leaves a gap, which is closed when it is larger than what is left, and
/// inserting before the first of many opens one. So both cost as little as at the end. One word, like
/// an array, because most responders own nobody.
struct OwnedResponders {
  /// The gap, which is `nil`s, then the responders. There is no gap without responders.
  private(set) var places: [Responder?] = []

  /// As many are taken for near the front, in a list with more than ``fewest``.
  private static let frontCount = 8
  /// In shorter lists there is no gap.
  private static let fewest = 64

  /// The number of places in front of the first responder.
  ///
  /// - Complexity: O(1) without a gap, O(log *n*) with one.
  @inline(__always)
  var gap: Int { places.isEmpty || places[0] != nil ? 0 : measuredGap() }

  @inline(never)
  private func measuredGap() -> Int {
    var (low, high) = (0, places.count - 1)
    while low + 1 < high {
      let middle = (low + high) / 2
      if places[middle] == nil { low = middle } else { high = middle }
    }
    return high
  }

  /// How a responder is taken out.
  enum Removal {
    /// The responders before it move into its place.
    case front(moves: Int)
    /// The responders behind it move into its place.
    case back(moves: Int)
  }

  func removal(at index: Int) -> Removal {
    let behind = count - index - 1
    return index < Self.frontCount && count > Self.fewest && index < behind
      ? .front(moves: index) : .back(moves: behind)
  }

  mutating func append(_ responder: Responder) { places.append(responder) }

  mutating func insert(_ responder: Responder, at index: Int) {
    guard index < Self.frontCount, count > Self.fewest else {
      return places.insert(responder, at: gap + index)
    }
    if places[0] != nil {
      places.insert(contentsOf: repeatElement(nil, count: count / 2), at: 0)
    }
    let first = gap - 1
    places[first] = responder
    for place in first..<first + index { places.swapAt(place, place + 1) }
  }

  /// Takes a responder out, which the caller keeps.
  mutating func remove(at index: Int) {
    let gap = gap
    switch removal(at: index) {
    case .back:
      places.remove(at: gap + index)
      if places.count == gap { places.removeAll(keepingCapacity: true) }
    case .front(let moves):
      for place in stride(from: gap + moves, to: gap, by: -1) { places.swapAt(place, place - 1) }
      places[gap] = nil
      if gap + 1 > places.count / 2 { places.removeFirst(gap + 1) }
    }
  }

  /// The index of a responder, and how many were looked at: from both ends at once, since the
  /// youngest and the oldest leave first, as a rule.
  func find(_ responder: Responder) -> (index: Int, steps: Int)? {
    let gap = gap
    var (low, high) = (gap, places.count - 1)
    while low <= high {
      if places[high] === responder { return (high - gap, 2 * (low - gap) + 1) }
      if places[low] === responder { return (low - gap, 2 * (low - gap) + 2) }
      low += 1
      high -= 1
    }
    return nil
  }
}

extension OwnedResponders: RandomAccessCollection {
  var startIndex: Int { 0 }
  var endIndex: Int { places.count - gap }
  var isEmpty: Bool { places.isEmpty }
  var last: Responder? { places.last ?? nil }

  subscript(index: Int) -> Responder {
    guard let responder = places[gap + index] else { preconditionFailure("a place in the gap") }
    return responder
  }

  func makeIterator() -> Iterator { Iterator(places: places, place: gap) }

  struct Iterator: IteratorProtocol {
    let places: [Responder?]
    var place: Int

    mutating func next() -> Responder? {
      guard place < places.count else { return nil }
      defer { place += 1 }
      return places[place]
    }
  }
}

/// The children of a responder, in order, as they were when they were asked for.
public struct Children: RandomAccessCollection {
  private let places: [Responder?]
  private let first: Int
  /// The number of children.
  public let endIndex: Int

  init(_ owned: OwnedResponders, _ range: Range<Int>) {
    places = owned.places
    first = owned.gap + range.lowerBound
    endIndex = range.count
  }

  /// Zero.
  public var startIndex: Int { 0 }

  /// One of the children.
  ///
  /// - Complexity: O(1).
  public subscript(index: Int) -> Responder {
    precondition(indices.contains(index), "There is no child \(index) among \(count).")
    guard let child = places[first + index] else { preconditionFailure("a place in the gap") }
    return child
  }
}

/// The responders that one responder owns, in order, in an array that may have a gap at its start.
///
/// In a long list, removing one of the first responders leaves a gap, so that the many responders
/// after it do not move. So it costs no more to remove all responders from first to last than from
/// last to first. The gap is removed when it fills more than half of the array. Inserting near the
/// start of a long list makes a gap, too.
///
/// The elements are optionals, so that the gap needs no second stored property. The list is then
/// one word, which matters because most responders own nothing. Rejected: storing each child's
/// index in the child, because a leaf has no memory for it.
struct OwnedResponders {
  /// The gap, whose elements are `nil`, then the responders. A list without responders has no gap.
  private(set) var places: [Responder?] = []

  /// The number of indices, from 0 on, at which inserting and removing use the gap. Lists of up to
  /// ``gapThreshold`` responders are excepted.
  private static let frontCount = 8
  /// The number of responders that a list must exceed to get a gap at its start; see ``places``.
  private static let gapThreshold = 64

  /// The number of empty places in front of the first responder.
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

  /// The side from which responders move into the place of a removed responder.
  enum Removal {
    /// The responders in front of the removed one move one place towards the end. `moves` is their
    /// number.
    case front(moves: Int)
    /// The responders behind the removed one move one place towards the start. `moves` is their
    /// number.
    case back(moves: Int)
  }

  func removal(at index: Int) -> Removal {
    let behind = count - index - 1
    return index < Self.frontCount && count > Self.gapThreshold && index < behind
      ? .front(moves: index) : .back(moves: behind)
  }

  mutating func append(_ responder: Responder) { places.append(responder) }

  mutating func insert(_ responder: Responder, at index: Int) {
    guard index < Self.frontCount, count > Self.gapThreshold else {
      return places.insert(responder, at: gap + index)
    }
    if places[0] != nil {
      places.insert(contentsOf: repeatElement(nil, count: count / 2), at: 0)
    }
    let first = gap - 1
    places[first] = responder
    for place in first..<first + index { places.swapAt(place, place + 1) }
  }

  /// Removes the responder at an index. The caller must hold a reference to the responder, so that
  /// its deinit does not run during the removal.
  mutating func remove(at index: Int) {
    // Most lists are short and have no gap.
    if places.count <= Self.gapThreshold, places[0] != nil {
      places.remove(at: index)
      return
    }
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

  /// Returns the index of a responder and the number of responders that were compared; nil if the
  /// responder is not in the list.
  ///
  /// It searches from both ends at once, because usually the first or the last responder is
  /// removed.
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

/// The children of a responder, in order, as they were when the collection was made.
///
/// Rejected: an array of the children. It would have to be copied, because the stored array may
/// begin with a gap and a root view.
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

  /// Zero, the index of the first child.
  public var startIndex: Int { 0 }

  /// The child at an index.
  ///
  /// - Complexity: O(1).
  public subscript(index: Int) -> Responder {
    precondition(indices.contains(index), "There is no child \(index) among \(count).")
    guard let child = places[first + index] else { preconditionFailure("a place in the gap") }
    return child
  }
}

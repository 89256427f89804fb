/// Positions with gaps between them, so that a new one between two others rarely changes more than
/// itself.
package enum SparseOrder {
  /// The distance between a new position at an end and its neighbour.
  static let step = 1 << 20
  /// The least distance between positions that are made anew.
  private static let leastStep = 1 << 6

  /// Returns the position for an element that is inserted into ascending positions, and the new
  /// positions of elements that have to give way, by their indices.
  package static func place(
    at index: Int, in positions: [Int]
  ) -> (position: Int, others: [(index: Int, position: Int)]) {
    let room = spread(bound(index - 1, positions), bound(index, positions), 1, least: 1)
    if let position = room?.first { return (position, []) }
    // The smallest run of neighbours that has room is spread evenly. The run of all elements has,
    // because it ends nowhere.
    var reach = 1
    while true {
      let run = max(index - reach, 0)..<min(index + reach, positions.count)
      let isAll = run.count == positions.count
      let (lower, upper) =
        isAll
        ? (nil, nil) : (bound(run.lowerBound - 1, positions), bound(run.upperBound, positions))
      let count = run.count + 1
      if isAll || spread(lower, upper, count) != nil {
        let places = spread(lower, upper, count) ?? spread(nil, nil, count) ?? []
        let split = index - run.lowerBound
        let others = run.map { ($0, places[$0 - run.lowerBound + ($0 < index ? 0 : 1)]) }
        return (places[split], others.filter { positions[$0.0] != $0.1 })
      }
      reach *= 2
    }
  }

  private static func bound(_ index: Int, _ positions: [Int]) -> Int? {
    positions.indices.contains(index) ? positions[index] : nil
  }

  /// Returns evenly spread positions between two others; nil without room. Without a bound on one
  /// side, there is room in steps.
  private static func spread(
    _ lower: Int?, _ upper: Int?, _ count: Int, least: Int = leastStep
  ) -> [Int]? {
    let first: Int
    let distance: Int
    switch (lower, upper) {
    case (nil, nil): (first, distance) = (0, step)
    case (let lower?, nil):
      guard lower <= Int.max - (count + 1) * step else { return nil }
      (first, distance) = (lower + step, step)
    case (nil, let upper?):
      guard upper >= Int.min + (count + 1) * step else { return nil }
      (first, distance) = (upper - count * step, step)
    case (let lower?, let upper?):
      let room = upper.subtractingReportingOverflow(lower)
      guard room.overflow || room.partialValue > 0 else { return nil }
      distance = (room.overflow ? Int.max : room.partialValue) / (count + 1)
      guard distance >= least else { return nil }
      first = lower + distance
    }
    return (0..<count).map { first + $0 * distance }
  }
}

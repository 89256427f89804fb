/// A set of positions in a list. It converts between positions and ranks, which count only the
/// elements at none of these positions.
struct PositionSet {
  /// The positions, ascending.
  let positions: [Int]

  init(_ positions: [Int]) { self.positions = positions }

  var count: Int { positions.count }

  /// Returns the rank of an element at none of the positions.
  func rank(of index: Int) -> Int {
    index - positions.partitioningIndex { $0 >= index }
  }

  /// Returns the position of the element with a rank.
  func index(ofRank rank: Int) -> Int {
    // `positions[j]` has `positions[j] - j` elements before it that count.
    rank + positions.indices.partitioningIndex { positions[$0] - $0 > rank }
  }
}

extension RandomAccessCollection {
  /// Returns the number of elements before the first that meets a test. All elements after it must
  /// meet the test, too.
  ///
  /// - Complexity: O(log *n*) calls of the test.
  func partitioningIndex(_ isAfter: (Element) throws -> Bool) rethrows -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if try isAfter(self[index(startIndex, offsetBy: middle)]) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low
  }
}

extension [Int] {
  /// Whether each element belongs to one longest ascending subsequence. Other ones may be as long.
  var longestRun: [Bool] {
    // `ends[n]` is the index of the least element that can end a subsequence of n + 1 elements.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: count)
    for (index, value) in enumerated() {
      let length = ends.partitioningIndex { self[$0] >= value }
      if length > 0 { previous[index] = ends[length - 1] }
      if length == ends.count { ends.append(index) } else { ends[length] = index }
    }
    var isInRun = [Bool](repeating: false, count: count)
    var index = ends.last ?? -1
    while index >= 0 {
      isInRun[index] = true
      index = previous[index]
    }
    return isInRun
  }
}

/// A set of positions in a list. The rank of a position outside the set is the number of positions
/// before it that are also outside the set.
struct PositionSet {
  /// The positions, ascending.
  let positions: [Int]

  init(_ positions: [Int]) { self.positions = positions }

  var count: Int { positions.count }

  /// Returns the rank of a position outside the set: the number of lower positions that are also
  /// outside the set.
  func rank(of index: Int) -> Int {
    index - positions.partitioningIndex { $0 >= index }
  }

  /// Returns the position outside the set that has the given rank, the number of lower positions
  /// that are also outside the set.
  func index(ofRank rank: Int) -> Int {
    // Before `positions[j]`, there are `positions[j] - j` positions outside the set.
    rank + positions.indices.partitioningIndex { positions[$0] - $0 > rank }
  }
}

extension RandomAccessCollection {
  /// Returns the number of elements before the first element that passes a test. All later elements
  /// must pass the test too.
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
  /// A Bool for each element: whether it belongs to the longest ascending subsequence. If several
  /// subsequences are equally long, one of them is chosen.
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

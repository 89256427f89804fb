/// Some positions of a list, for going between the list and what it is without them.
struct PositionSet {
  /// The positions, ascending.
  let positions: [Int]

  init(_ positions: [Int]) { self.positions = positions }

  var count: Int { positions.count }

  /// Where an element that is at none of the positions comes among its like.
  func rank(of index: Int) -> Int {
    index - positions.partitioningIndex { $0 >= index }
  }

  /// Where in the list the element is that comes at a rank among those at none of the positions.
  func index(ofRank rank: Int) -> Int {
    // The j-th position leaves `positions[j] - j` others before it.
    rank + positions.indices.partitioningIndex { positions[$0] - $0 > rank }
  }
}

extension RandomAccessCollection {
  /// How many elements come before the first for which a test holds, if it holds for all after it.
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
  /// For each element, whether it belongs to one longest run of ascending elements.
  var longestRun: [Bool] {
    // `ends[n]` is the element that ends the run of n + 1 elements with the least end.
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

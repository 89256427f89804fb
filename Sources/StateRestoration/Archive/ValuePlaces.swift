/// The positions of one record's values, by which values are found in any order.
struct ValuePlaces {
  private var places: [ValueRange] = []
  /// The indices of the values that searches in an earlier record have found, in the order of the
  /// searches. The first search in a record tries the first of these indices first, and so on.
  /// Records of one class are usually read in the same order.
  private var found: [Int] = []
  /// The number of searches in the present record.
  private var searches = 0

  private struct ValueRange {
    let keyStart: UInt32
    let keyEnd: UInt32
    let valueStart: UInt32
    let valueEnd: UInt32

    var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
  }

  /// Replaces the positions by those of another record's values.
  mutating func replace(by values: RecordValues) {
    places.removeAll(keepingCapacity: true)
    searches = 0
    values.forEachPlace { key, value in
      places.append(
        ValueRange(
          keyStart: UInt32(key.lowerBound), keyEnd: UInt32(key.upperBound),
          valueStart: UInt32(value.lowerBound), valueEnd: UInt32(value.upperBound)))
    }
  }

  /// Returns the range of the value under a key; nil if there is none.
  mutating func find(_ key: Span<UInt8>, _ bytes: [UInt8]) -> Range<Int>? {
    defer { searches += 1 }
    if searches < found.count, found[searches] < places.count {
      let place = places[found[searches]]
      if bytes.isEqual(place.key, key) { return place.value }
    }
    guard let index = places.firstIndex(where: { bytes.isEqual($0.key, key) }) else { return nil }
    if searches < found.count {
      found[searches] = index
    } else if found.count == searches, searches < places.count {
      found.append(index)
    }
    return places[index].value
  }
}

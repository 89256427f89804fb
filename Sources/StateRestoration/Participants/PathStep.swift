import LineageFiles

/// One step of an archived path: the identifier of a responder, and the number of earlier siblings
/// with the same identifier.
struct PathStep: Hashable {
  let identifier: String
  let ordinal: Int

  /// An ordinal that no responder has. Paths that lead to nothing have it, or a greater one.
  static let missing = 1 << 40
}

extension [UInt8] {
  /// Makes the bytes of a path.
  init(steps: [PathStep]) {
    var bytes = ByteBuffer(capacity: 64)
    bytes.append(length: steps.count)
    for step in steps {
      bytes.append(step.identifier)
      bytes.append(length: step.ordinal)
    }
    self = bytes.bytes(from: 0)
  }

  /// Returns a path that leads to nothing, with the identifiers of another path. Paths of one record
  /// have different numbers.
  static func missing(_ path: ArraySlice<UInt8>, number: Int) -> [UInt8] {
    var steps = path.steps ?? []
    let last = steps.popLast()?.identifier ?? ""
    return [UInt8](steps: steps + [PathStep(identifier: last, ordinal: PathStep.missing + number)])
  }
}

extension ArraySlice<UInt8> {
  /// The steps of a path, from the application on; nil if the bytes are damaged.
  var steps: [PathStep]? {
    var reader = ValueReader(Array(self), 0..<count)
    return try? (0..<(try reader.length())).map { _ in
      PathStep(identifier: try reader.text(), ordinal: Int(clamping: try reader.varint()))
    }
  }
}

extension Record {
  /// Calls the closure with each path in the values, and replaces the path by the one that the
  /// closure returns; nil leaves it as it is.
  func replacePaths(_ replacement: (ArraySlice<UInt8>) -> [UInt8]?) {
    guard let reader, let values else { return }
    let start = reader.position
    var edits: [(range: Range<Int>, path: [UInt8])] = []
    // The positions of the lengths that change, with the differences.
    var growth: [Int: Int] = [:]
    try? values.forEach { entry in
      var value = values.reader(entry, nil)
      try? value.forEachReference { _, _ in
      } path: { range, lengths in
        var path = ValueReader(reader.bytes, range)
        guard let old = try? path.data(), let new = replacement(old), !new.elementsEqual(old) else {
          return
        }
        var bytes = ByteBuffer(capacity: 64)
        bytes.append(length: new.count)
        bytes.append(new.span)
        edits.append((range, bytes.bytes(from: 0)))
        for length in lengths + [entry.value.lowerBound - 4, start] {
          growth[length, default: 0] += bytes.count - range.count
        }
      }
    }
    guard !edits.isEmpty else { return }
    var old = reader.bytes
    for (position, difference) in growth {
      let length = Int(old.integer(at: position) as UInt32) + difference
      for byte in 0..<4 { old[position + byte] = UInt8(truncatingIfNeeded: length >> (8 * byte)) }
    }
    var (new, next): ([UInt8], Int) = ([], start)
    for (range, path) in edits {
      new += old[next..<range.lowerBound] + path
      next = range.upperBound
    }
    new += old[next..<reader.end]
    migrate(to: new, 0..<new.count)
  }
}

package import ObjectGraph

/// The packed form in which a log keeps the ids of the rows that a commit changed.
///
/// The form is small. It contains the names of entities, so that it does not depend on the order of
/// the entities in a schema.
package enum ChangedIDs {
  /// Returns the ids as bytes; nil if there are more than 5,000, because the log must stay small.
  /// If the log has no ids for a commit, its readers read all rows again.
  package static func pack(_ writes: [Write], _ model: Model) -> [UInt8]? {
    guard writes.count <= 5_000 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16 + writes.count * 3)
    for (entity, layout) in model.layouts.enumerated() {
      var touched: [Int64] = []
      var deleted: [Int64] = []
      for write in writes where write.entity == entity {
        if case .delete = write.kind { deleted.append(write.id) } else { touched.append(write.id) }
      }
      guard !touched.isEmpty || !deleted.isEmpty else { continue }
      let name = Array(layout.name.utf8)
      append(UInt64(name.count), to: &bytes)
      bytes += name
      for var ids in [touched, deleted] {
        ids.sort()
        append(UInt64(ids.count), to: &bytes)
        var last: Int64 = 0
        for id in ids {
          append(UInt64(bitPattern: id &- last), to: &bytes)
          last = id
        }
      }
    }
    return bytes
  }

  /// Returns the ids in the bytes; nil if the bytes cannot be decoded. Entities that are not in the
  /// model are left out.
  package static func unpack(_ bytes: [UInt8], _ model: Model) -> News? {
    var news = News()
    var rest = bytes[...]
    while !rest.isEmpty {
      guard let count = take(&rest), count <= rest.count else { return nil }
      let name = String(decoding: rest.prefix(Int(count)), as: UTF8.self)
      rest = rest.dropFirst(Int(count))
      guard let touched = takeIDs(&rest), let deleted = takeIDs(&rest) else { return nil }
      guard let entity = model.index(named: name) else { continue }
      // An id that was deleted and inserted again counts as touched.
      news.touched[entity] = touched
      news.deleted[entity] = deleted.subtracting(touched)
    }
    return news
  }

  private static func takeIDs(_ bytes: inout ArraySlice<UInt8>) -> Set<Int64>? {
    guard let count = take(&bytes), count <= bytes.count else { return nil }
    var ids = Set<Int64>(minimumCapacity: Int(count))
    var last: Int64 = 0
    for _ in 0..<count {
      guard let difference = take(&bytes) else { return nil }
      last &+= Int64(bitPattern: difference)
      ids.insert(last)
    }
    return ids
  }

  private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var number = number
    while number >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: number) | 0x80)
      number >>= 7
    }
    bytes.append(UInt8(number))
  }

  private static func take(_ bytes: inout ArraySlice<UInt8>) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while let byte = bytes.popFirst() {
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
      if shift > 63 { return nil }
    }
    return nil
  }
}

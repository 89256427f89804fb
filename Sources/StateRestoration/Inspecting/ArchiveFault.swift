/// A fault of an archive, with its position.
package struct ArchiveFault: Sendable {
  /// The position of the fault, counted in bytes from the beginning of the archive.
  package let position: Int
  /// The number of bytes that the fault makes unusable; zero if that number is not known.
  package let length: Int
  /// The index of the record in ``ArchiveInspection/nodes``; nil if the fault concerns no known
  /// record.
  package let node: Int?
  /// The key of the damaged value; nil if the fault concerns no single value.
  package let key: String?
  /// The description of the fault, in sentences. They may contain texts of the archive.
  package let text: String
}

/// The faults of an archive. The first of them are kept, and the rest are only counted.
struct FaultList {
  private(set) var faults: [ArchiveFault] = []
  private(set) var count = 0

  /// The greatest number of faults that are kept.
  static let limit = 1_000

  /// Adds a fault, or only counts it if there are too many.
  mutating func add(
    at position: Int, length: Int = 0, node: Int? = nil, key: String? = nil,
    _ text: @autoclosure () -> String
  ) {
    count += 1
    guard faults.count < Self.limit else { return }
    faults.append(
      ArchiveFault(position: position, length: length, node: node, key: key, text: text()))
  }

  /// Counts faults of which only the number is known.
  mutating func count(_ others: Int) { count += others }

  /// Sorts the faults by their positions.
  mutating func sort() { faults.sort { $0.position < $1.position } }
}

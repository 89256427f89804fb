import Foundation

/// Where a property lies in its struct and how: all that loops over rows need, without references.
package struct Field: Sendable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Bytes from the start of the struct.
  package let offset: Int
  package let size: Int
}

extension Field {
  /// Ends the life of the property in a struct.
  func destroy(in base: UnsafeMutableRawPointer) {
    kind.destroy(at: base + offset, isOptional: isOptional)
  }

  /// Gives one struct's property the value of another's.
  func assign(from source: UnsafeRawPointer, to base: UnsafeMutableRawPointer) {
    kind.assign(from: source + offset, to: base + offset, isOptional: isOptional)
  }

  /// Whether the bits are the same, which makes the values the same, whatever their type.
  @inline(__always)
  func isIdentical(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    memcmp(one + offset, other + offset, size) == 0
  }

  /// Whether values whose bits differ are the same nevertheless.
  func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    kind.isSame(one + offset, other + offset, isOptional: isOptional)
  }
}

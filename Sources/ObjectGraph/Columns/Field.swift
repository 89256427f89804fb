import Foundation

/// Where a property lies in its struct and how: all that loops over rows need, without references.
package struct Field: Sendable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Bytes from the start of the struct.
  package let offset: Int
  package let size: Int
}

// See Column+Cells.swift for why this is sound. A custom field goes through its column's codec.

extension Field {
  /// Ends the life of the property in a struct.
  func destroy(in base: UnsafeMutableRawPointer) {
    let place = base + offset
    switch kind {
    case .string: place.assumingMemoryBound(to: String?.self).deinitialize(count: 1)
    case .data where isOptional: place.assumingMemoryBound(to: Data?.self).deinitialize(count: 1)
    case .data: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
    case .url where isOptional: place.assumingMemoryBound(to: URL?.self).deinitialize(count: 1)
    case .url: place.assumingMemoryBound(to: URL.self).deinitialize(count: 1)
    default: break
    }
  }

  /// Gives one struct's property the value of another's.
  func assign(from source: UnsafeRawPointer, to base: UnsafeMutableRawPointer) {
    let source = source + offset
    let place = base + offset
    switch kind {
    case .string: Self.assign(String?.self, source, place)
    case .data where isOptional: Self.assign(Data?.self, source, place)
    case .data: Self.assign(Data.self, source, place)
    case .url where isOptional: Self.assign(URL?.self, source, place)
    case .url: Self.assign(URL.self, source, place)
    default: place.copyMemory(from: source, byteCount: size)
    }
  }

  private static func assign<T>(
    _: T.Type, _ source: UnsafeRawPointer, _ place: UnsafeMutableRawPointer
  ) {
    place.assumingMemoryBound(to: T.self).pointee = source.assumingMemoryBound(to: T.self).pointee
  }

  /// Whether the bits are the same, which makes the values the same, whatever their type.
  @inline(__always)
  func isIdentical(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    memcmp(one + offset, other + offset, size) == 0
  }

  /// Whether values whose bits differ are the same nevertheless.
  func isEqual(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    let one = one + offset
    let other = other + offset
    switch kind {
    case .string: return Self.sameText(one, other)
    case .data: return Self.same(Data.self, one, other, isOptional)
    case .url: return Self.same(URL.self, one, other, isOptional)
    case .reference: return Self.same(Int64.self, one, other, true)
    case .double: return Self.same(Double.self, one, other, isOptional)
    case .float: return Self.same(Float.self, one, other, isOptional)
    case .date: return Self.same(Date.self, one, other, isOptional)
    default:
      // Two nils whose payload bytes, which say nothing, differ. Only a Bool? has no byte of its own
      // for being nil.
      guard isOptional, kind != .bool else { return false }
      let tag = one.load(fromByteOffset: size - 1, as: UInt8.self)
      return tag != 0 && tag == other.load(fromByteOffset: size - 1, as: UInt8.self)
    }
  }

  private static func same<T: Equatable>(
    _: T.Type, _ one: UnsafeRawPointer, _ other: UnsafeRawPointer, _ isOptional: Bool
  ) -> Bool {
    isOptional
      ? one.assumingMemoryBound(to: T?.self).pointee
        == other.assumingMemoryBound(to: T?.self).pointee
      : one.assumingMemoryBound(to: T.self).pointee == other.assumingMemoryBound(to: T.self).pointee
  }

  private static func sameText(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
    // A String? has the layout of a String, with nil as an extra inhabitant.
    let one = one.assumingMemoryBound(to: String?.self).pointee
    let other = other.assumingMemoryBound(to: String?.self).pointee
    guard let one, let other else { return one == nil && other == nil }
    return one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
  }
}

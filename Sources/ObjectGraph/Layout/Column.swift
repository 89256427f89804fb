import Foundation

/// The types that have a flat, typed path between memory and column.
package enum ColumnKind: UInt8, Sendable, CaseIterable {
  case bool, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64
  case double, float, string, data, date, uuid, url
  /// A `Ref<Target>?`.
  case reference
  /// An enum or a JSON value, by closures.
  case custom

  /// What SQLite calls it in a STRICT table.
  package var storage: Cell.Form {
    switch self {
    case .bool, .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32, .uint64,
      .reference:
      .integer
    case .double, .float, .date: .real
    case .string, .uuid, .url, .custom: .text
    case .data: .blob
    }
  }
}

/// Where a property lies in its struct and how: all that loops over rows need, without references.
package struct Field: Sendable {
  package let kind: ColumnKind
  package let isOptional: Bool
  /// Bytes from the start of the struct.
  package let offset: Int
  package let size: Int
}

/// One property of an entity: where it lies in the struct and what it is in a store.
package final class Column: Sendable {
  package let name: String
  /// The name it had in older schemas.
  package let formerly: String?
  package let field: Field
  package let isUnique: Bool
  package let isIndexed: Bool
  /// The Swift type, for messages.
  package let typeName: String
  /// Whom a reference refers to.
  package let target: (any Entity.Type)?
  package let codec: Codec?
  /// What its column keeps: an enum's raw value; custom for JSON.
  package let kept: ColumnKind
  package let storage: Cell.Form
  /// Whether it holds JSON, which filters can only compare with nil.
  package let isJSON: Bool

  init(
    name: String, formerly: String?, field: Field, isUnique: Bool, isIndexed: Bool,
    typeName: String, target: (any Entity.Type)?, codec: Codec?, kept: ColumnKind
  ) {
    self.name = name
    self.formerly = formerly
    self.field = field
    self.isUnique = isUnique
    self.isIndexed = isIndexed
    self.typeName = typeName
    self.target = target
    self.codec = codec
    self.kept = kept
    storage = kept.storage
    isJSON = kept == .custom
  }

  package var kind: ColumnKind { field.kind }
  package var isOptional: Bool { field.isOptional }
  package var offset: Int { field.offset }
  package var size: Int { field.size }

  /// The way between memory and column of a type that has no flat one.
  package struct Codec: Sendable {
    /// Initialises the memory, or throws and leaves it uninitialised. Null comes here too.
    let decode: @Sendable (Cell, UnsafeMutableRawPointer) throws -> Void
    let encode: @Sendable (UnsafeRawPointer) throws -> Stored
    let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
    let assign: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    /// Whether two values are equal to Swift, though they may be written differently; nil if Swift
    /// does not know.
    var isSame: (@Sendable (UnsafeRawPointer, UnsafeRawPointer) -> Bool)?
  }
}

/// Why a cell cannot become a property, or a property a cell.
package struct ColumnFault: Error {
  package let message: String
}

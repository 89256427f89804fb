import Foundation
package import ObjectGraph

/// The part of a schema that decides the form of a store's tables. The store saves its shape, so
/// that the next opening can compare it with the program's schema.
package struct SchemaShape: Codable, Hashable, Sendable {
  package var tables: [TableShape]

  package init(tables: [TableShape]) { self.tables = tables }
}

extension SchemaShape {
  /// Creates the shape of a program's schema in a dialect.
  package init(_ model: Model, in dialect: any SQLDialect.Type) {
    tables = model.layouts.map { layout in
      TableShape(
        name: layout.name,
        columns: layout.columns.indices.map { column in
          ColumnShape(layout, column, type: dialect.columnType(of: layout.columns[column]))
        },
        indexes: layout.indexes.filter { $0.columns.count > 1 }.map { index in
          IndexShape(index.columns.map { layout.columns[$0].name }, isUnique: index.isUnique)
        })
    }
  }

  package func table(_ name: String) -> TableShape? { tables.first { $0.name == name } }

  /// The shape as JSON, in the form that a store keeps.
  package var text: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  package init(text: String) throws {
    self = try JSONDecoder().decode(SchemaShape.self, from: Data(text.utf8))
  }
}

/// The shape of an entity's table.
package struct TableShape: Codable, Hashable, Sendable {
  package var name: String
  package var columns: [ColumnShape]
  /// The indexes over several columns; nil if there are none, as in stores of earlier versions.
  private var indexes: [IndexShape]?

  package init(name: String, columns: [ColumnShape], indexes: [IndexShape] = []) {
    self.name = name
    self.columns = columns
    self.indexes = indexes.isEmpty ? nil : indexes
  }

  /// The indexes over several columns.
  package var wideIndexes: [IndexShape] {
    get { indexes ?? [] }
    set { indexes = newValue.isEmpty ? nil : newValue }
  }

  /// All indexes, of which those of single columns come first.
  package var allIndexes: [IndexShape] {
    columns.filter { $0.isUnique || $0.isIndexed }
      .map { IndexShape([$0.name], isUnique: $0.isUnique) } + wideIndexes
  }

  package func column(_ name: String) -> ColumnShape? { columns.first { $0.name == name } }
}

/// The shape of an index.
package struct IndexShape: Codable, Hashable, Sendable {
  package var properties: [String]
  package var isUnique: Bool

  package init(_ properties: [String], isUnique: Bool) {
    self.properties = properties
    self.isUnique = isUnique
  }

  /// The names of the properties, separated by dots.
  package var name: String { properties.joined(separator: ".") }

  /// Returns the change that a step of a migration must make possible, because rows have equal values.
  package func change(of entity: String) -> SchemaChange {
    let message =
      properties.count == 1
      ? "is to be unique, but rows have the same value"
      : "are to be unique together, but rows have the same values"
    return SchemaChange(
      entity: entity, property: properties.joined(separator: ", "), message: message)
  }
}

/// The shape of a property's column.
package struct ColumnShape: Codable, Hashable, Sendable {
  package var name: String
  /// The column's type in the store's dialect, such as INTEGER, REAL, TEXT or BLOB in SQLite.
  package var storage: String
  /// The kind of value that the program keeps in the column, such as `int8`, `json` or `date`.
  package var meaning = ColumnShape.unknown
  package var isOptional = false
  package var isUnique = false
  package var isIndexed = false
  package var target: String?

  package init(name: String, storage: String) {
    self.name = name
    self.storage = storage
  }
}

extension ColumnShape {
  init(_ layout: Layout, _ index: Int, type: String) {
    let column = layout.columns[index]
    self.init(name: column.name, storage: type)
    meaning = column.meaning
    isOptional = column.isOptional
    let own = layout.indexes.first { $0.columns == [index] }
    (isUnique, isIndexed) = (own?.isUnique == true, own?.isUnique == false)
    target = column.target.map { $0.layout.name }
  }

  /// Returns whether a property of this shape can read all values that a property of an older shape
  /// wrote.
  func reads(_ old: ColumnShape) -> Bool {
    guard storage == old.storage else { return false }
    if meaning == old.meaning || old.meaning == Self.unknown { return true }
    // In files of earlier versions, the meaning of plain numbers, texts and data is only the
    // storage.
    if old.meaning == old.storage.lowercased() { return !Column.alwaysNamed.contains(meaning) }
    guard let old = Self.integers[old.meaning], let new = Self.integers[meaning] else {
      return false
    }
    return new.lowerBound <= old.lowerBound && old.upperBound <= new.upperBound
  }

  /// The meaning of a column that is not in the program's schema.
  package static let unknown = ""

  /// The range of values of each kind of integer, stored under the kind's meaning.
  private static let integers: [String: ClosedRange<Int64>] = [
    "int": .min ... .max, "int8": range(Int8.self), "int16": range(Int16.self),
    "int32": range(Int32.self), "uint": 0 ... .max, "uint8": range(UInt8.self),
    "uint16": range(UInt16.self), "uint32": range(UInt32.self),
  ]

  private static func range<T: FixedWidthInteger>(_: T.Type) -> ClosedRange<Int64> {
    Int64(T.min)...Int64(T.max)
  }
}

extension Column {
  /// The word for the column's meaning. Two types share a word if each can read the other's
  /// columns.
  fileprivate var meaning: String { Self.words[Int(kept.rawValue)] }

  private static let words = ColumnKind.allCases.map { kind in
    switch kind {
    case .int64: "int"
    case .uint64: "uint"
    case .float: "double"
    case .custom: "json"
    case .bool, .int, .int8, .int16, .int32, .uint, .uint8, .uint16, .uint32, .double, .decimal,
      .string, .data, .date, .uuid, .url, .reference:
      "\(kind)"
    }
  }

  /// The meanings that files of all versions of this package contain. For columns of other kinds,
  /// files of the first versions contain only the storage. Each new kind must be added here.
  fileprivate static let alwaysNamed = Set(
    zip(ColumnKind.allCases, words).compactMap { kind, word in
      switch kind {
      case .bool, .decimal, .date, .uuid, .url, .reference: word
      case .int, .int8, .int16, .int32, .int64, .uint, .uint8, .uint16, .uint32, .uint64, .double,
        .float, .string, .data, .custom:
        nil
      }
    })
}

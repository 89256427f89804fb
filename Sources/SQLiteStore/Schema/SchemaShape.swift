import Foundation
import ObjectGraph

/// What of a schema a file depends on; kept in the file, to tell later what changed.
package struct SchemaShape: Codable, Hashable, Sendable {
  package var tables: [TableShape]
}

extension SchemaShape {
  init(_ model: Model) {
    tables = model.layouts.map { layout in
      TableShape(name: layout.name, columns: layout.columns.map { ColumnShape($0) })
    }
  }

  func table(_ name: String) -> TableShape? { tables.first { $0.name == name } }

  /// The same for the same schema, whatever the order of entities.
  var text: String {
    get throws {
      var sorted = self
      sorted.tables.sort { $0.name < $1.name }
      for index in sorted.tables.indices {
        sorted.tables[index].columns.sort { $0.name < $1.name }
      }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      return String(decoding: try encoder.encode(sorted), as: UTF8.self)
    }
  }

  init(text: String) throws {
    self = try JSONDecoder().decode(SchemaShape.self, from: Data(text.utf8))
  }
}

/// One entity's table.
package struct TableShape: Codable, Hashable, Sendable {
  package var name: String
  package var columns: [ColumnShape]

  func column(_ name: String) -> ColumnShape? { columns.first { $0.name == name } }
}

/// One property's column.
package struct ColumnShape: Codable, Hashable, Sendable {
  package var name: String
  /// What SQLite keeps: INTEGER, REAL, TEXT, BLOB.
  package var storage: String
  /// What the program keeps in it; two types that read each other's columns have the same word.
  package var meaning: String
  package var isOptional: Bool
  package var isUnique: Bool
  package var isIndexed: Bool
  package var target: String?
}

extension ColumnShape {
  init(_ column: Column) {
    name = column.name
    isOptional = column.isOptional
    isUnique = column.isUnique
    isIndexed = column.isIndexed
    target = column.target.map { $0.layout.name }
    storage =
      switch column.storage {
      case .integer: "INTEGER"
      case .real: "REAL"
      case .text, .null: "TEXT"
      case .blob: "BLOB"
      }
    meaning =
      switch column.kind {
      case .bool: "bool"
      case .date: "date"
      case .uuid: "uuid"
      case .url: "url"
      case .reference: "reference"
      default: storage.lowercased()
      }
  }
}

import Foundation

extension String: ColumnValue {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .texts }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static var isPlain: Bool { false }
  static func source(of value: StoredValue) -> String { value.source }

  @inline(__always)
  static func value(of cell: ColumnCell) -> String? {
    cell.text
  }

  @inline(__always)
  static func cell(of value: String, in arena: CellArena) -> ColumnCell {
    arena.cell(of: value)
  }

  static func stored(_ value: String) -> StoredValue { .text(value) }

  static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
  }
}

extension UUID: ColumnValue {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .texts }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static var isPlain: Bool { true }
  static func source(of value: StoredValue) -> String { value.source }

  static func value(of cell: ColumnCell) -> UUID? {
    String.value(of: cell).flatMap(UUID.init(uuidString:))
  }

  static func cell(of value: UUID, in arena: CellArena) -> ColumnCell {
    String.cell(of: value.uuidString, in: arena)
  }

  static func stored(_ value: UUID) -> StoredValue { .text(value.uuidString) }

  static func isSame(_ one: UUID, _ other: UUID) -> Bool { one == other }
}

extension URL: ColumnValue {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .texts }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static var isPlain: Bool { false }
  static func source(of value: StoredValue) -> String { value.source }

  static func value(of cell: ColumnCell) -> URL? {
    String.value(of: cell).flatMap(URL.init(string:))
  }

  static func cell(of value: URL, in arena: CellArena) -> ColumnCell {
    String.cell(of: value.absoluteString, in: arena)
  }

  static func stored(_ value: URL) -> StoredValue { .text(value.absoluteString) }

  static func isSame(_ one: URL, _ other: URL) -> Bool { one == other }
}

extension Data: ColumnValue {
  static var cellForm: ColumnCell.Form { .blob }
  static var columnOrder: ColumnOrder { .bytes }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .blob([]) }
  static var isPlain: Bool { false }
  static func source(of value: StoredValue) -> String { value.source }

  static func value(of cell: ColumnCell) -> Data? { cell.data }

  static func cell(of value: Data, in arena: CellArena) -> ColumnCell {
    arena.cell(of: value)
  }

  static func stored(_ value: Data) -> StoredValue { .blob(Array(value)) }

  static func isSame(_ one: Data, _ other: Data) -> Bool { one == other }
}

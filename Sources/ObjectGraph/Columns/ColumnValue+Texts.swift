import Foundation

/// A value that a store keeps as text.
protocol TextColumnValue: ColumnValue, Equatable {
  init?(columnText: String)
  var columnText: String { get }
}

extension TextColumnValue {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .texts }
  static var isNumeric: Bool { false }
  static var least: StoredValue { .text("") }
  static func source(of value: StoredValue) -> String { value.source }

  static func value(of cell: ColumnCell) -> Self? { cell.text.flatMap(Self.init(columnText:)) }

  static func cell(of value: Self, in arena: CellArena) -> ColumnCell {
    arena.cell(of: value.columnText)
  }

  static func stored(_ value: Self) -> StoredValue { .text(value.columnText) }

  static func isSame(_ one: Self, _ other: Self) -> Bool { one == other }
}

extension String: TextColumnValue {
  static var isPlain: Bool { false }
  init?(columnText: String) { self = columnText }
  var columnText: String { self }

  @inline(__always)
  static func value(of cell: ColumnCell) -> String? { cell.text }

  @inline(__always)
  static func cell(of value: String, in arena: CellArena) -> ColumnCell { arena.cell(of: value) }

  static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8)
  }
}

extension UUID: TextColumnValue {
  static var isPlain: Bool { true }
  init?(columnText: String) { self.init(uuidString: columnText) }
  var columnText: String { uuidString }
}

extension URL: TextColumnValue {
  static var isPlain: Bool { false }
  init?(columnText: String) { self.init(string: columnText) }
  var columnText: String { absoluteString }
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

import Foundation

extension Decimal: ColumnValue {
  static var cellForm: ColumnCell.Form { .text }
  static var columnOrder: ColumnOrder { .decimals }
  static var isNumeric: Bool { true }
  /// The least number that a `Decimal` can represent: the greatest digits and exponent, with a
  /// minus sign.
  static var least: StoredValue {
    .text(DecimalNumber(isNegative: true, digits: .max, exponent: 127).text)
  }
  static var isPlain: Bool { true }

  static func source(of value: StoredValue) -> String {
    if case .text(let digits) = value { digits } else { value.source }
  }

  /// Returns the number of a cell; nil if the cell does not hold the canonical text of a number.
  ///
  /// Another text of the same number is refused, because a store would treat the two texts as
  /// different.
  static func value(of cell: ColumnCell) -> Decimal? { DecimalNumber(cell)?.decimal }

  static func cell(of value: Decimal, in arena: CellArena) throws(ColumnFault) -> ColumnCell {
    arena.cell(of: try number(value).text)
  }

  static func stored(_ value: Decimal) throws(ColumnFault) -> StoredValue {
    .text(try number(value).text)
  }

  static func isSame(_ one: Decimal, _ other: Decimal) -> Bool {
    DecimalNumber(one) == DecimalNumber(other)
  }

  private static func number(_ value: Decimal) throws(ColumnFault) -> DecimalNumber {
    guard let number = DecimalNumber(value) else { throw ColumnFault(message: "is not a number") }
    return number
  }
}

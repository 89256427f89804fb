import Foundation

extension ColumnValue where Self: FixedWidthInteger {
  static var cellForm: ColumnCell.Form { .integer }
  static var columnOrder: ColumnOrder { .numbers }
  static var isNumeric: Bool { true }
  static var least: StoredValue { .integer(.min) }
  static var isPlain: Bool { true }
  static func source(of value: StoredValue) -> String { value.source }

  @inline(__always)
  static func value(of cell: ColumnCell) -> Self? {
    cell.form == .integer ? Self(exactly: cell.integer) : nil
  }

  @inline(__always)
  static func cell(of value: Self, in _: CellArena) throws(ColumnFault) -> ColumnCell {
    .integer(try wide(value))
  }

  static func stored(_ value: Self) throws(ColumnFault) -> StoredValue { .integer(try wide(value)) }

  @inline(__always)
  static func isSame(_ one: Self, _ other: Self) -> Bool { one == other }

  @inline(__always)
  private static func wide(_ value: Self) throws(ColumnFault) -> Int64 {
    guard let wide = Int64(exactly: value) else {
      throw ColumnFault(message: "is \(value), more than a store's integer holds")
    }
    return wide
  }
}

extension Int: ColumnValue {}
extension Int8: ColumnValue {}
extension Int16: ColumnValue {}
extension Int32: ColumnValue {}
extension Int64: ColumnValue {}
extension UInt: ColumnValue {}
extension UInt8: ColumnValue {}
extension UInt16: ColumnValue {}
extension UInt32: ColumnValue {}
extension UInt64: ColumnValue {}

extension Bool: ColumnValue {
  static var cellForm: ColumnCell.Form { .integer }
  static var columnOrder: ColumnOrder { .numbers }
  static var isNumeric: Bool { true }
  static var least: StoredValue { .integer(.min) }
  static var isPlain: Bool { true }

  static func source(of value: StoredValue) -> String {
    if case .integer(let number) = value { "\(number != 0)" } else { value.source }
  }

  @inline(__always)
  static func value(of cell: ColumnCell) -> Bool? {
    guard cell.form == .integer else { return nil }
    return cell.integer == 0 ? false : cell.integer == 1 ? true : nil
  }

  @inline(__always)
  static func cell(of value: Bool, in _: CellArena) -> ColumnCell { .integer(value ? 1 : 0) }

  static func stored(_ value: Bool) -> StoredValue { .integer(value ? 1 : 0) }

  static func isSame(_ one: Bool, _ other: Bool) -> Bool { one == other }
}

extension Double: ColumnValue {
  static var cellForm: ColumnCell.Form { .real }
  static var columnOrder: ColumnOrder { .numbers }
  static var isNumeric: Bool { true }
  static var least: StoredValue { .real(-.infinity) }
  static var isPlain: Bool { true }
  static func source(of value: StoredValue) -> String { value.source }

  @inline(__always)
  static func value(of cell: ColumnCell) -> Double? { cell.number }

  @inline(__always)
  static func cell(of value: Double, in _: CellArena) throws(ColumnFault) -> ColumnCell {
    .real(try number(value))
  }

  static func stored(_ value: Double) throws(ColumnFault) -> StoredValue {
    .real(try number(value))
  }

  static func isSame(_ one: Double, _ other: Double) -> Bool { one == other }

  @inline(__always)
  private static func number(_ value: Double) throws(ColumnFault) -> Double {
    guard !value.isNaN else { throw ColumnFault(message: "is not a number") }
    return value
  }
}

extension Float: ColumnValue {
  static var cellForm: ColumnCell.Form { .real }
  static var columnOrder: ColumnOrder { .numbers }
  static var isNumeric: Bool { true }
  static var least: StoredValue { .real(-.infinity) }
  static var isPlain: Bool { true }
  static func source(of value: StoredValue) -> String { value.source }

  @inline(__always)
  static func value(of cell: ColumnCell) -> Float? {
    guard let number = cell.number else { return nil }
    let value = Float(number)
    return value.isInfinite && number.isFinite ? nil : value
  }

  @inline(__always)
  static func cell(of value: Float, in arena: CellArena) throws(ColumnFault) -> ColumnCell {
    try Double.cell(of: Double(value), in: arena)
  }

  static func stored(_ value: Float) throws(ColumnFault) -> StoredValue {
    try Double.stored(Double(value))
  }

  static func isSame(_ one: Float, _ other: Float) -> Bool { one == other }
}

extension Date: ColumnValue {
  static var cellForm: ColumnCell.Form { .real }
  static var columnOrder: ColumnOrder { .numbers }
  static var isNumeric: Bool { true }
  static var least: StoredValue { .real(-.infinity) }
  static var isPlain: Bool { true }

  static func source(of value: StoredValue) -> String {
    if case .real(let seconds) = value {
      "Date(timeIntervalSinceReferenceDate: \(seconds))"
    } else {
      value.source
    }
  }

  @inline(__always)
  static func value(of cell: ColumnCell) -> Date? {
    cell.number.map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  @inline(__always)
  static func cell(of value: Date, in arena: CellArena) throws(ColumnFault) -> ColumnCell {
    try Double.cell(of: value.timeIntervalSinceReferenceDate, in: arena)
  }

  static func stored(_ value: Date) throws(ColumnFault) -> StoredValue {
    try Double.stored(value.timeIntervalSinceReferenceDate)
  }

  static func isSame(_ one: Date, _ other: Date) -> Bool { one == other }
}

extension ColumnCell {
  /// The number in a cell with a real or an integer; nil for other cells. A store may keep a whole
  /// real as an integer.
  @inline(__always)
  fileprivate var number: Double? {
    switch form {
    case .real: real
    case .integer: Double(integer)
    case .null, .text, .blob: nil
    }
  }
}

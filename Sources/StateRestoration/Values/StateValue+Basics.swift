extension Bool: RestorableValue {
  /// Writes the truth value.
  public func write(to writer: inout ValueWriter) { writer.write(self ? .true : .false) }
  /// Reads a truth value.
  public static func read(from reader: inout ValueReader) throws -> Bool {
    switch try reader.tag() {
    case .true: true
    case .false: false
    case let other: throw reader.mismatch("Bool", other)
    }
  }
}

extension Double: RestorableValue {
  /// Writes the number.
  public func write(to writer: inout ValueWriter) { writer.write(.double, bitPattern) }
  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Double {
    Double(bitPattern: try reader.fixed(.double))
  }
}

extension Float: RestorableValue {
  /// Writes the number.
  public func write(to writer: inout ValueWriter) { writer.write(.float, bitPattern) }
  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Float {
    Float(bitPattern: try reader.fixed(.float))
  }
}

extension String: RestorableValue {
  /// Writes the text.
  public func write(to writer: inout ValueWriter) { writer.write(.text, self) }
  /// Reads a text.
  public static func read(from reader: inout ValueReader) throws -> String {
    try reader.text(.text)
  }
}

extension StateValue where Self: FixedWidthInteger & Codable {
  /// Writes the integer. Throws an error if the integer needs more than 64 bits.
  public func write(to writer: inout ValueWriter) throws {
    if let small = Int64(exactly: self) {
      writer.write(.integer)
      writer.writeZigzag(small)
    } else if let large = UInt64(exactly: self) {
      writer.write(.largeInteger, large)
    } else {
      throw StateError(.unstorable("An integer has more than 64 bits: \(self)."))
    }
  }

  /// Reads an integer. Throws an error if this type cannot represent the integer.
  public static func read(from reader: inout ValueReader) throws -> Self {
    try reader.integer()
  }
}

extension Int: RestorableValue {
  /// Reads an integer.
  public static func read(from reader: inout ValueReader) throws -> Int { try reader.integer() }
}
extension Int8: RestorableValue {}
extension Int16: RestorableValue {}
extension Int32: RestorableValue {}
extension Int64: RestorableValue {}
extension UInt: RestorableValue {}
extension UInt8: RestorableValue {}
extension UInt16: RestorableValue {}
extension UInt32: RestorableValue {}
extension UInt64: RestorableValue {}

extension ValueReader {
  fileprivate mutating func integer<Integer: FixedWidthInteger>() throws -> Integer {
    // `Integer(exactly:)` is avoided, because the compiler may leave this code unspecialised.
    switch try tag() {
    case .integer:
      let value = try zigzag()
      let exact = Integer(truncatingIfNeeded: value)
      if Int64(truncatingIfNeeded: exact) == value, (value < 0) == (exact < 0) { return exact }
      throw StateError(.outOfRange("\(value)", type: "\(Integer.self)"))
    case .largeInteger:
      let value = try fixed(UInt64.self)
      let exact = Integer(truncatingIfNeeded: value)
      if UInt64(truncatingIfNeeded: exact) == value, exact >= 0 { return exact }
      throw StateError(.outOfRange("\(value)", type: "\(Integer.self)"))
    case let other: throw mismatch("\(Integer.self)", other)
    }
  }

  /// Reads a raw value, and returns the value that has it.
  mutating func raw<Value: RawRepresentable>() throws -> Value
  where Value.RawValue: RestorableValue {
    let raw = try Value.RawValue.read(from: &self)
    if let value = Value(rawValue: raw) { return value }
    throw StateError(.refused("\(raw)", type: "\(Value.self)"))
  }
}

extension StateValue where Self: RawRepresentable, RawValue: RestorableValue {
  /// Writes the raw value.
  public func write(to writer: inout ValueWriter) throws { try rawValue.write(to: &writer) }
  /// Reads a raw value, and returns the value of this type that has it. Throws an error if the type
  /// has no such raw value.
  public static func read(from reader: inout ValueReader) throws -> Self { try reader.raw() }
}

extension Bool: RestorableValue {
  /// Writes the truth value.
  public func write(to writer: inout ValueWriter) { writer.write(self) }
  /// Reads a truth value.
  public static func read(from reader: inout ValueReader) throws -> Bool { try reader.readBool() }
}

extension Double: RestorableValue {
  /// Writes the number.
  public func write(to writer: inout ValueWriter) { writer.write(self) }
  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Double {
    try reader.readDouble()
  }
}

extension Float: RestorableValue {
  /// Writes the number.
  public func write(to writer: inout ValueWriter) { writer.write(self) }
  /// Reads a number.
  public static func read(from reader: inout ValueReader) throws -> Float {
    try reader.readFloat()
  }
}

extension String: RestorableValue {
  /// Writes the text.
  public func write(to writer: inout ValueWriter) { writer.write(self) }
  /// Reads a text.
  public static func read(from reader: inout ValueReader) throws -> String {
    try reader.readString()
  }
}

extension StateValue where Self: FixedWidthInteger & Codable {
  /// Writes the integer.
  public func write(to writer: inout ValueWriter) throws { try writer.write(integer: self) }
  /// Reads an integer that this type can represent.
  public static func read(from reader: inout ValueReader) throws -> Self {
    try reader.readInteger()
  }
}

extension Int: RestorableValue {
  /// Reads an integer.
  public static func read(from reader: inout ValueReader) throws -> Int {
    try reader.readInteger()
  }
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

extension StateValue where Self: RawRepresentable, RawValue: RestorableValue {
  /// Writes the raw value.
  public func write(to writer: inout ValueWriter) throws { try rawValue.write(to: &writer) }
  /// Reads a raw value, and returns the value of this type that has it. Throws an error if the type
  /// has no such raw value.
  public static func read(from reader: inout ValueReader) throws -> Self {
    let raw = try RawValue.read(from: &reader)
    guard let value = Self(rawValue: raw) else {
      throw StateError(.refused("\(raw)", type: "\(Self.self)"))
    }
    return value
  }
}

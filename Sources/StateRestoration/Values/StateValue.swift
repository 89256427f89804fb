/// A value that can be kept in an archive and read from it again.
///
/// A type conforms to one of the two protocols that refine this one. They say what reading needs:
/// ``RestorableValue`` only the bytes, ``ContextualValue`` also a context of the tree.
public protocol StateValue {
  /// Writes exactly one value.
  ///
  /// Equal values must write equal bytes, in each process.
  func write(to writer: inout ValueWriter) throws

  /// Reads the value that ``write(to:)`` has written.
  ///
  /// - Throws: ``StateError`` if the bytes hold something else.
  static func read(from reader: inout ValueReader) throws -> Self
}

/// A value that can be read at any time, because its bytes are enough.
///
/// Booleans, numbers, texts, `Data`, `Date`, `Decimal`, `UUID`, `URL`, and arrays, sets, optionals
/// and string dictionaries of restorable values conform. An enum with raw values and a Codable type
/// conform by one line:
///
/// ```swift
/// extension Zoom: RestorableValue {}
/// ```
public protocol RestorableValue: StateValue {}

/// A value that can only be read when a context of the tree is there, such as an object of a store.
///
/// Until then a property of such a type has its initial value, and its archived bytes are kept.
public protocol ContextualValue: StateValue {}

/// A value that can be archived and read again.
///
/// A type conforms to one of two protocols that refine this one. A ``RestorableValue`` needs only
/// its bytes, and a ``ContextualValue`` also a context of the tree.
public protocol StateValue {
  /// Writes exactly one value.
  ///
  /// Equal values must write equal bytes, in all processes.
  ///
  /// - Complexity: O(*n*) for most values of *n* bytes. Sets and dictionaries are also sorted.
  func write(to writer: inout ValueWriter) throws

  /// Reads the value that ``write(to:)`` has written.
  ///
  /// - Throws: ``StateError`` if the bytes are those of anything else.
  /// - Complexity: O(*n*) for most values of *n* bytes.
  static func read(from reader: inout ValueReader) throws -> Self
}

/// A value that can be read at any time from its bytes only.
///
/// Booleans, numbers, texts, `Data`, `Date`, `Decimal`, `UUID`, `URL`, and arrays, sets, optionals
/// and string dictionaries of restorable values conform. For an enum with raw values, and for a
/// Codable type, one line is enough:
///
/// ```swift
/// extension Zoom: RestorableValue {}
/// ```
public protocol RestorableValue: StateValue {}

/// A value that can only be read when a context of the tree is there. An example is an object of a
/// store.
///
/// Until that context is there, a property of such a type has its initial value, and its archived
/// bytes are kept.
public protocol ContextualValue: StateValue {}

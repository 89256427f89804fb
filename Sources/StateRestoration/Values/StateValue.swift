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
///
/// A value may have an early part, which needs no context, such as the index of a row beside the
/// row's object. ``ValueWriter/writeEarly(_:then:)`` writes it, and ``ValueReader/readEarly(then:)``
/// reads it. A property then has the value that stands in for the archived one, until the context is
/// there.
public protocol ContextualValue: StateValue {
  /// The type of the early part; `Never` for a value without one.
  associatedtype Early: RestorableValue = Never

  /// Returns the value that stands in for an archived one until its context is there. If it is nil,
  /// a property has its initial value meanwhile.
  static func standIn(for early: Early) -> Self?
}

extension ContextualValue {
  /// Returns nil, because most values have no early part.
  public static func standIn(for early: Early) -> Self? { nil }
}

/// A statement in SQL that only reads, or a part of one. Its interpolated values are parameters and
/// never become text of the statement.
///
/// ```swift
/// let some = try context.objects(
///   Card.self, "select id from \(Card.self) where \(\Card.deck) = \(deck) order by random() limit 10")
/// ```
///
/// These can be interpolated:
///
/// - a value of an ``AttributeValue`` or an enum: a parameter, in the form in which a column keeps it
/// - a ``Ref`` or an ``Object``: a parameter with the id
/// - an array of these: a list of parameters in parentheses, as in `id in \(cards)`; a test for
///   membership in an empty array is false
/// - an entity: the quoted name of its table
/// - a key path to an attribute or a to-one property: the quoted name of its column
/// - another `SQL`, of which the statement becomes a part
///
/// A nil is the parameter NULL, and `due = NULL` is never true in SQL. Write `due is \(date)` if the
/// date may be nil. An interpolation cannot be part of a quoted text or of a comment.
///
/// The text must be written in the program, so a `String` variable is not an `SQL`. Choose between
/// statements, or parts of them, instead:
///
/// ```swift
/// let order: SQL = isNewestFirst ? "id desc" : "id"
/// let ids = try context.rows("select id from \(Card.self) order by \(order)", Int.self)
/// ```
public struct SQL: Sendable {
  let parts: [Part]

  enum Part: Sendable {
    case text(String)
    case value(StoredValue)
    case values([StoredValue])
    case entity(any Entity.Type)
    case column(any Entity.Type, Int)
    /// An interpolation with which the statement cannot run.
    case mistake(GraphError.Reason)
  }
}

extension SQL: ExpressibleByStringInterpolation {
  // The text is a `StaticString`, so not even a direct call of an initializer accepts a text that is
  // made while the program runs.

  /// Creates a statement without parameters.
  public init(stringLiteral text: StaticString) { parts = [.text("\(text)")] }

  /// Creates a statement from its text and its interpolations.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }
}

extension SQL: CustomStringConvertible {
  /// The text of the statement, with a question mark for each parameter.
  public var description: String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .value: "?"
      case .values(let values): "(\(values.map { _ in "?" }.joined(separator: ", ")))"
      case .entity(let type): "\"\(type.layout.name)\""
      case .column(let type, let column): "\"\(type.layout.columns[column].name)\""
      case .mistake: "?"
      }
    }.joined()
  }
}

extension SQL {
  /// Returns the statement's pieces for a store with the given model.
  ///
  /// - Throws: The reason why the statement cannot run.
  func pieces(in model: Model, _ attempted: StatementAttempt) throws -> [StatementPiece] {
    func index(_ type: any Entity.Type) throws -> Int {
      guard let index = model.index(of: type) else {
        throw attempted.error(.unknownEntity(type.layout.name))
      }
      return index
    }
    return try parts.map { part in
      switch part {
      case .text(let text): .sql(text)
      case .value(let value): .value(value)
      case .values(let values): .values(values)
      case .entity(let type): .entity(try index(type))
      case .column(let type, let column): .column(try index(type), column)
      case .mistake(let reason): throw attempted.error(reason)
      }
    }
  }
}

extension Responder: CustomStringConvertible {
  /// The names of the responder and its ancestors, as in `CardView in StudyController in
  /// Application`.
  ///
  /// A path of more than twelve responders shows only the first six and the last four.
  ///
  /// - Complexity: O(*depth*).
  public final var path: String {
    let names = chain.map(\.debugLabel)
    guard names.count > 12 else { return names.joined(separator: " in ") }
    let left = names.prefix(6) + ["… \(names.count - 10) more …"] + names.suffix(4)
    return left.joined(separator: " in ")
  }

  /// The responder's ``path``.
  ///
  /// - Complexity: O(*depth*).
  public var description: String { path }

  /// The responder's type, with its name if it has one, as in `CardView "front"`.
  public final var debugLabel: String {
    let type = String(describing: type(of: self))
    return shownName.map { "\(type) \"\($0)\"" } ?? type
  }

  /// The debug name without line breaks, because a drawing shows each responder in one line; nil if
  /// there is none.
  package final var shownName: String? {
    contents?.hooks?.name?.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}

extension Responder: CustomStringConvertible {
  /// The responder and its way to the top: `CardView in StudyController in Application`.
  ///
  /// Long ways show their ends.
  public final var path: String {
    let names = chain.map(\.debugLabel)
    guard names.count > 12 else { return names.joined(separator: " in ") }
    let left = names.prefix(6) + ["… \(names.count - 10) more …"] + names.suffix(4)
    return left.joined(separator: " in ")
  }

  /// The responder's ``path``.
  public var description: String { path }

  /// The type, with the name if there is one: `CardView "front"`.
  public final var debugLabel: String {
    let type = String(describing: type(of: self))
    guard let name = contents?.hooks?.name else { return type }
    // Whatever the name, a responder takes one line.
    return "\(type) \"\(name.split(whereSeparator: \.isNewline).joined(separator: " "))\""
  }
}

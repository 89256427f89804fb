/// What is unsaved of an object.
public struct Changes: Hashable, Sendable {
  /// What the next save does with the object.
  public enum Kind: Hashable, Sendable { case none, inserted, updated, deleted }

  /// What the next save does with the object.
  public let kind: Kind
  /// The properties that differ from what was fetched, and those that are contested, in the
  /// schema's order; for a new object, all of them.
  public let properties: [String]

  /// Whether there is nothing to save.
  public var isEmpty: Bool { kind == .none }
}

extension Instance {
  /// What the next save would write of the object.
  public final var changes: Changes {
    switch phase {
    case .clean, .gone: return Changes(kind: .none, properties: [])
    case .lone, .inserted: return Changes(kind: .inserted, properties: layout.columns.map(\.name))
    case .deleted: return Changes(kind: isUnsaved ? .deleted : .none, properties: [])
    case .updated:
      let mask = unsavedColumns
      let names = layout.columns.indices.filter(mask.contains).map { layout.columns[$0].name }
      return Changes(kind: isUnsaved ? .updated : .none, properties: names)
    }
  }
}

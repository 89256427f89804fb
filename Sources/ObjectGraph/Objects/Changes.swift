/// The unsaved changes of an object.
public struct Changes: Hashable, Sendable {
  /// The effect of the next save on the object.
  public enum ChangeKind: Hashable, Sendable { case none, inserted, updated, deleted }

  /// The effect of the next save on the object.
  public let kind: ChangeKind
  /// The properties that the context has changed, in the order of the schema. A new object has all
  /// its properties in the list, and a deleted object has none. A property that was changed in this
  /// context and above is included even if it has its old value again.
  public let properties: [String]

  /// Whether the next save has nothing to write for the object.
  public var isEmpty: Bool { kind == .none }
}

extension GraphObject {
  /// The changes that the next save would write.
  ///
  /// - Complexity: O(*p*) comparisons for *p* properties.
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

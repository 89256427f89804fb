extension GraphObject {
  /// Calls the closure with each to-one column that refers to an object, and the id of that object.
  package final func forEachReference(_ body: (_ column: Int, _ key: Int64) -> Void) {
    for column in layout.referenceColumns {
      if let key = target(of: column) { body(column, key) }
    }
  }

  /// Sets each reference of a disconnected object to the id that the closure returns.
  package final func redirectReferences(_ target: (_ column: Int, _ key: Int64) -> Int64?) {
    guard phase == .lone else { return }
    for column in layout.referenceColumns {
      if let key = self.target(of: column) { setTarget(of: column, to: target(column, key)) }
    }
    if case .draft(let draft) = home { draft.keep(self) }
  }

  /// The disconnected objects that are linked with this object, including this object, and the
  /// connected objects (objects in a context) to which they refer. If this object is in a context,
  /// the result is only this object.
  package final var company: (disconnected: [GraphObject], connected: [GraphObject]) {
    switch home {
    case .nowhere: return ([self], [])
    case .draft(let draft):
      let component = draft.component(of: self)
      return (component, draft.outsiders(of: component))
    case .table: return ([], [self])
    }
  }
}

extension GraphObject {
  /// Calls the closure with each to-one column that refers to something, and the id.
  package final func forEachReference(_ body: (_ column: Int, _ key: Int64) -> Void) {
    for column in layout.referenceColumns {
      if let key = target(of: column) { body(column, key) }
    }
  }

  /// Makes each to-one property of a disconnected object refer to what the closure says.
  package final func redirectReferences(_ target: (_ column: Int, _ key: Int64) -> Int64?) {
    guard phase == .lone else { return }
    for column in layout.referenceColumns {
      if let key = self.target(of: column) { setTarget(of: column, to: target(column, key)) }
    }
    if case .draft(let draft) = home { draft.keep(self) }
  }

  /// A disconnected object and those it is linked with, and the objects of contexts to which they
  /// refer.
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

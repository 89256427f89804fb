extension GraphObject {
  /// Replaces the value with the value that a policy decided on. An object with a hook is validated
  /// later, after the hook was called.
  ///
  /// - Throws: An error if the value has another type or breaks a rule of the entity.
  func accept(_ value: any Entity) throws {
    let attempted = "resolve the conflict of \(reference)"
    guard take(value) else {
      throw GraphError(attempted, .otherType(expected: layout.name, found: "\(type(of: value))"))
    }
    let problems = layout.hasHook ? [] : problems
    guard problems.isEmpty else {
      throw GraphError(attempted, .invalid([InvalidObject(object: reference, problems: problems)]))
    }
  }

  /// Sets properties to their values in the base, so that they are no longer edited.
  func returnToBase(_ columns: [Int]) {
    let layout = layout
    lend { mine, base in
      guard let base else { return }
      for index in columns { layout.columns[index].assign(from: base, to: mine) }
    }
  }

  /// Returns whether this object's base equals the value of another object. If this object has no
  /// base, its value is compared instead.
  func isBased(on other: GraphObject) -> Bool {
    let layout = layout
    return withBase { base in other.withValue { layout.difference(base, $0).isEmpty } }
  }
}

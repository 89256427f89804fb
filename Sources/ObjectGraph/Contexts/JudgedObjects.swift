/// The objects that a save of several contexts has validated. Each object is validated once, with the
/// value that would be stored.
struct JudgedObjects {
  private var rows: Set<RowKey>?

  /// For a save of one context, which sees each object once.
  static let notRemembered = JudgedObjects(rows: nil)
  /// For a save of several contexts, before the first of them.
  static let remembered = JudgedObjects(rows: [])

  /// Adds an object to the list of invalid objects if its value must not be saved. Does nothing if
  /// the object was validated in a context below.
  @inline(__always)
  mutating func judge(_ object: GraphObject, _ entity: Int, _ invalid: inout [InvalidObject]) {
    if rows?.insert(RowKey(entity: entity, key: object.key)).inserted ?? true {
      let problems = object.problems
      guard !problems.isEmpty else { return }
      invalid.append(InvalidObject(object: object.reference, problems: problems))
    }
  }

  /// Makes the next context validate objects again, because a policy has changed them.
  mutating func forget(_ objects: some Sequence<GraphObject>) {
    guard rows != nil else { return }
    for case let row? in objects.lazy.map(\.row) { rows?.remove(row) }
  }
}

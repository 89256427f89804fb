import ObjectGraph

extension StoreLaw {
  /// One law for each kind of attribute. It tests the least and the greatest values of the kind.
  static let kinds = ColumnKind.allCases.map { kind in
    StoreLaw("The ends of the kind \(kind) come back, are compared and put in order") { store in
      for group in KindExample.groups { try store.commit(.insert(group, Group(), in: store.model)) }
      for example in kind.examples { try check(example, in: store) }
    }
  }

  private static func check(_ example: KindExample, in store: StoreUnderTest) throws {
    // Later values have lower ids, so that sorting by value differs from sorting by id.
    let ids = example.samples.indices.map { Ref<Sample>(key: Int64(example.samples.count - $0)) }
    let rows = zip(ids, example.samples)
    for (id, sample) in rows { try store.commit(.insert(id, sample, in: store.model)) }
    for (id, sample) in rows {
      try store.expect(
        try store.value(id).map { sameColumns($0, sample) } ?? false,
        "\(Sample.layout.columns[example.column].name) of \(id) as it was")
    }
    let reader = try store.store.makeReader()
    defer { reader.end() }
    func expect(_ request: FetchRequest<Sample>, _ expected: some Sequence<Ref<Sample>>) throws {
      let found = try reader.ids(try store.query(request))
      try store.expect(
        found == expected.map(\.key), "\(expected.map(\.key)) but \(found): \(request)")
    }
    for index in ids.indices {
      try expect(FetchRequest(filter: example.equal(index)), ids[index...index])
      let isNil = index < example.nils
      if let less = example.less?(index) {
        try expect(
          FetchRequest(filter: less), isNil ? [] : ids[example.nils..<index].reversed())
      }
      if let notLess = example.notLess?(index) {
        try expect(FetchRequest(filter: notLess), isNil ? [] : ids[index...].reversed())
      }
    }
    if let order = example.order {
      try expect(FetchRequest(filter: nil, order: order), ids)
      let descending = order.terms.map { OrderTerm(property: $0.property, isDescending: true) }
      try expect(FetchRequest(filter: nil, order: Ordering(terms: descending)), ids.reversed())
    }
    for (id, sample) in rows { try store.commit(.delete(id, sample, in: store.model)) }
  }
}

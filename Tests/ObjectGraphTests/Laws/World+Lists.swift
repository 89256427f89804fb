extension Laws {
  /// The rows that others have committed since a root's last merge, and that the root's lists may
  /// lack.
  struct Mail: Hashable {
    /// The rows that may still wait for the next slice of a merge.
    private(set) var rows: Set<ID> = []
    /// The largest number of rows that can wait at the same time.
    private(set) var most = 0
    /// Whether a slice of a merge has left rows for a later slice. While this is false, lists apply
    /// each commit at once.
    private(set) var isSliced = false

    mutating func add(_ ids: some Collection<ID>) {
      rows.formUnion(ids)
      most = min(rows.count, most + ids.count)
    }

    /// Removes a slice of at least one row. The documentation does not say which row, so only the
    /// number of waiting rows decreases.
    mutating func takeSlice(leavingRows: Bool) {
      guard leavingRows else {
        self = Mail()
        return
      }
      isSliced = true
      most -= 1
    }
  }

  /// For each list of each context, its objects in their order.
  typealias ListedRows = [[[ID]]]
}

extension Laws.World {
  /// Returns a difference between the lists and the values that the objects show; nil if there is
  /// none.
  ///
  /// During a merge in slices, a list that applies each slice may lack the rows of later slices.
  func difference(
    from lists: Laws.ListedRows, of requests: [[Int]], _ sights: [Laws.Sight]
  ) -> String? {
    var missing = contexts.map { _ in Set<ID>() }
    for context in contexts.indices {
      let root = root(of: context)
      let mail = contexts[root].mail
      for (found, request) in zip(lists[context], requests[context].map { Laws.requests[$0] }) {
        let all = request.found(in: sights[context].rows)
        let waits = mail.isSliced && request.followsInSlices ? mail.rows : []
        let left = waits.intersection(all).subtracting(found)
        let expected = all.filter { !left.contains($0) }
        if found != expected {
          return "\(Laws.contextNames[context])'s list of \(request.text) has objects \(found); "
            + "by what they show it is \(expected)"
        }
        missing[root].formUnion(left)
      }
    }
    for root in contexts.indices where missing[root].count > contexts[root].mail.most {
      return "lists below \(Laws.contextNames[root]) lack objects \(missing[root].sorted()); "
        + "at most \(contexts[root].mail.most) wait for a slice"
    }
    return nil
  }
}

import ObjectGraph

extension Laws {
  /// A live list, with the index of its request.
  struct Follower {
    let request: Int
    /// A closure that returns the ids of the list's rows, and whether the list is stale.
    let rows: () -> (keys: [Int64], isStale: Bool)

    init(_ request: Int, in context: ObjectContext) throws {
      self.request = request
      switch Laws.requests[request].fetch {
      case .persons(let fetch):
        let list = try LiveList(fetch, in: context)
        rows = { (list.map(\.key), list.state.isStale) }
      case .teams(let fetch):
        let list = try LiveList(fetch, in: context)
        rows = { (list.map(\.key), list.state.isStale) }
      }
    }
  }
}

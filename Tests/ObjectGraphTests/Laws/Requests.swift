import ObjectGraph

extension Laws {
  /// A fetch request, and plain code that finds the same objects among rows.
  struct Request: Sendable {
    let text: String
    let fetch: Fetch
    let limit: Int?
    /// Whether a list of the request can apply a merge slice by slice. Such a list reads only its
    /// own rows and the rows of the slice.
    var followsInSlices = true
    let admits: @Sendable (ID, Row, [ID: Row]) -> Bool
    /// A closure that returns the sort key of a row. Rows with equal keys are in the order of their
    /// numbers.
    let key: @Sendable (Row) -> [Int]

    enum Fetch: Sendable {
      case persons(FetchRequest<Person>)
      case teams(FetchRequest<Team>)
    }

    /// Returns the objects that the request must find among the rows.
    func found(in rows: [ID: Row], isLimited: Bool = true) -> [ID] {
      let isTeam = if case .teams = fetch { true } else { false }
      let found = rows.filter { $0.value.isTeam == isTeam && admits($0.key, $0.value, rows) }
      let sorted = found.map { (key($0.value) + [$0.key], $0.key) }
        .sorted { $0.0.lexicographicallyPrecedes($1.0) }.map(\.1)
      return isLimited ? Array(sorted.prefix(limit ?? .max)) : sorted
    }
  }

  static let requests: [Request] = [
    Request(
      text: "persons by points descending and name",
      fetch: .persons(
        FetchRequest(sort: {
          $0.points.descending
          $0.name
        })), limit: nil, admits: { _, _, _ in true }, key: { [-$0[.points], $0[.name]] }),
    Request(
      text: "persons with points < 2",
      fetch: .persons(FetchRequest(where: { $0.points < 2 })), limit: nil,
      admits: { _, row, _ in row[.points] < 2 }, key: { _ in [] }),
    Request(
      text: "persons with name == \"a\" by points",
      fetch: .persons(FetchRequest(where: { $0.name == "a" }, sort: { $0.points })), limit: nil,
      admits: { _, row, _ in row[.name] == 1 }, key: { [$0[.points]] }),
    Request(
      text: "persons without team by name descending",
      fetch: .persons(FetchRequest(where: { $0.team == nil }, sort: { $0.name.descending })),
      limit: nil, admits: { _, row, _ in row[.team] == 0 }, key: { [-$0[.name]] }),
    Request(
      text: "persons with team.points == 1 by points",
      fetch: .persons(FetchRequest(where: { $0.team.points == 1 }, sort: { $0.points })),
      limit: nil, followsInSlices: false,
      admits: { _, row, rows in rows[row[.team]]?[.points] == 1 }, key: { [$0[.points]] }),
    Request(
      text: "persons with friend.points == 1 by name",
      fetch: .persons(FetchRequest(where: { $0.friend.points == 1 }, sort: { $0.name })),
      limit: nil, followsInSlices: false,
      admits: { _, row, rows in rows[row[.friend]]?[.points] == 1 }, key: { [$0[.name]] }),
    Request(
      text: "the first 2 persons with a friend by points",
      fetch: .persons(FetchRequest(where: { $0.friend != nil }, sort: { $0.points }, limit: 2)),
      limit: 2, followsInSlices: false, admits: { _, row, _ in row[.friend] != 0 },
      key: { [$0[.points]] }),
    Request(
      text: "teams by points",
      fetch: .teams(FetchRequest(sort: { $0.points })), limit: nil,
      admits: { _, _, _ in true }, key: { [$0[.points]] }),
    Request(
      text: "teams with a member who has points > 0",
      fetch: .teams(FetchRequest(where: { $0.members.contains { $0.points > 0 } })), limit: nil,
      followsInSlices: false,
      admits: { id, _, rows in rows.values.contains { hasPoints($0, in: id) } },
      key: { _ in [] }),
  ]

  private static func hasPoints(_ row: Row, in team: ID) -> Bool {
    !row.isTeam && row[.team] == team && row[.points] > 0
  }
}

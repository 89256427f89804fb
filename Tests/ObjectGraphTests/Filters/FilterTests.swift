import Foundation
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Filters")
struct FilterTests {
  @Test("Operators on columns make conditions by the schema's names")
  func operators() {
    let group = Ref<Group>(key: 7)
    let filter = Filter<Sample> {
      $0.number < 3 && $0.maybeText == nil && $0.group == group && $0.group.name == "x"
        && $0.maybeRank != .low && !$0.friends.contains { $0.score >= 1 }
    }
    #expect(
      filter.condition
        == .and([
          .compare(PropertyPath(name: "number"), .less, .integer(3)),
          .compare(PropertyPath(name: "maybeText"), .equal, .null),
          .compare(PropertyPath(name: "group"), .equal, .integer(7)),
          .compare(PropertyPath(relations: ["group"], name: "name"), .equal, .text("x")),
          .compare(PropertyPath(name: "maybeRank"), .notEqual, .integer(-1)),
          .not(
            .any(
              ToManyPath(name: "friends"),
              .compare(PropertyPath(name: "score"), .greaterOrEqual, .real(1)))),
        ]))
  }

  @Test("A request is written on several lines")
  func request() {
    let request = FetchRequest<Sample>(
      where: { $0.maybeTags != nil || $0.maybeNumber.isIn(1..<5) && $0.text.contains("x") },
      sort: {
        $0.number.descending
        $0.group.name
        $0.id
      }, limit: 3,
      prefetch: {
        $0.group.leader
        $0.group.members
      })
    #expect(request.order.terms.map(\.isDescending) == [true, false, false])
    #expect(request.prefetch.paths == [["group", "leader"], ["group", "members"]])
    #expect(request.filter != nil)
  }

  @Test("Chains of terms are one level, two nots cancel out")
  func flat() {
    var filter = Filter<Sample> { $0.number == 0 }
    for number in 1..<10_000 { filter = filter || Filter { $0.number == number } }
    guard case .or(let terms) = filter.condition.form else {
      Issue.record("no or")
      return
    }
    #expect(terms.count == 10_000)
    #expect(filter.condition.levels == 1)
    #expect(!(!filter) == filter)
    #expect(filter.condition == .or((0..<10_000).map { .compare("number", .equal, $0) }))
  }

  @Test("Joining filters copies neither, however long they are")
  func sharing() {
    var filter = Filter<Sample> { $0.number == 0 }
    for number in 1..<1_000 {
      let term = Filter<Sample> { $0.number == number }
      let joined = number.isMultiple(of: 3) ? filter || term : term && filter
      #expect(joined.condition.refers(to: filter.condition))
      #expect(joined.condition.refers(to: term.condition))
      filter = joined
    }
  }

  @Test("A column of Bools is a filter by itself")
  func bools() {
    let bare = Filter<Sample> { $0.flag }
    #expect(bare == Filter { $0.flag == true })
    let negated = Filter<Sample> { !$0.flag }
    #expect(negated == !bare)
    let joined = Filter<Sample> { $0.flag && $0.number > 1 && !$0.flag || $0.friend.flag }
    let long = Filter<Sample> {
      $0.flag == true && $0.number > 1 && !($0.flag == true) || $0.friend.flag == true
    }
    #expect(joined == long)
    let closures = Filter<Sample> {
      $0.friends.contains { $0.flag } || $0.friends.allSatisfy { !$0.flag }
    }
    let longClosures = Filter<Sample> {
      $0.friends.contains { $0.flag == true } || $0.friends.allSatisfy { !($0.flag == true) }
    }
    #expect(closures == longClosures)
  }

  @Test("A column that may be nil compares with one that may not")
  func optionalColumns() throws {
    let store = try MemoryStore([Sample.self, Group.self])
    for (index, pair) in [(1, nil), (1, 1), (1, 2), (2, 1)].enumerated() {
      var sample = Sample()
      (sample.number, sample.maybeNumber) = pair
      try store.commit([.insert(Ref(key: Int64(index + 1)), sample, in: store.model)], from: nil)
    }
    func ids(_ filter: (Columns<Sample>) -> Filter<Sample>) throws -> [Int64] {
      try store.makeReader().ids(FetchRequest(where: filter).query(in: store.model))
    }
    #expect(try ids { $0.number == $0.maybeNumber } == [2])
    #expect(try ids { $0.maybeNumber == $0.number } == [2])
    #expect(try ids { $0.number != $0.maybeNumber } == [1, 3, 4])
    #expect(try ids { $0.maybeNumber != $0.number } == [1, 3, 4])
    #expect(try ids { $0.number < $0.maybeNumber } == [3])
    #expect(try ids { $0.maybeNumber > $0.number } == [3])
    #expect(try ids { $0.number <= $0.maybeNumber } == [2, 3])
    #expect(try ids { $0.maybeNumber >= $0.number } == [2, 3])
    #expect(try ids { $0.number > $0.maybeNumber } == [4])
    #expect(try ids { $0.maybeNumber < $0.number } == [4])
    #expect(try ids { $0.number >= $0.maybeNumber } == [2, 4])
    #expect(try ids { $0.maybeNumber <= $0.number } == [2, 4])
  }

  @Test("Objects and references mean the same")
  func objects() {
    let group = Object(Group())
    let none: Object<Group>? = nil
    #expect(Filter<Sample> { $0.group == group } == Filter { $0.group == group.id })
    #expect(Filter<Sample> { $0.group != group } == Filter { $0.group != group.id })
    #expect(Filter<Sample> { $0.group == none } == Filter { $0.group == nil })
    #expect(Filter<Sample> { $0.group.isIn([group]) } == Filter { $0.group.isIn([group.id]) })
    #expect(Filter<Group> { $0.id == group } == Filter { $0.id == group.id })
    #expect(Filter<Group> { $0.id.isIn([group]) } == Filter { $0.id.isIn([group.id]) })
  }

  @Test("NaN is equal to nothing, neither less nor greater, and in no list")
  func notANumber() {
    #expect(Filter<Sample> { $0.score == .nan } == Filter { _ in .all(false) })
    #expect(Filter<Sample> { $0.score < .nan } == Filter { _ in .all(false) })
    #expect(Filter<Sample> { $0.maybeScore != .nan } == Filter { _ in .all() })
    #expect(Filter<Sample> { $0.score.isIn([.nan, 1]) } == Filter { $0.score.isIn([1]) })
    let never = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(Filter<Sample> { $0.time >= never } == Filter { _ in .all(false) })
  }

  @Test("A Decimal that is no number is refused by the fetch")
  func decimalNotANumber() throws {
    let context = try MemoryStore(StoreLaw.entities).makeContext()
    let filters: [Filter<Sample>] = [
      Filter { $0.price == Decimal.nan }, Filter { $0.price < Decimal.nan },
      Filter { $0.maybePrice != Decimal.nan }, Filter { $0.price.isIn([1, Decimal.nan]) },
      Filter { $0.price.isIn(Decimal.nan...Decimal.nan) },
    ]
    for filter in filters {
      #expect {
        try context.fetch(FetchRequest(filter: filter))
      } throws: {
        guard case .request("Sample", _, _)? = ($0 as? GraphError)?.reason else { return false }
        return true
      }
    }
  }

  @Test("Equal decimals in different forms make equal filters")
  func decimalForms() throws {
    let request = FetchRequest<Sample>(where: { $0.price == .loose(-2, 150) })
    #expect(request == FetchRequest<Sample>(where: { $0.price == 1.5 }))
    let archived = try JSONDecoder().decode(
      FetchRequest<Sample>.self, from: JSONEncoder().encode(request))
    #expect(archived == request && archived.hashValue == request.hashValue)
  }

  @Test("A column of an outer object in an inner closure of the same entity is an error")
  func misplaced() throws {
    let store = try MemoryStore([Sample.self, Group.self])
    let reader = try store.makeReader()
    let misplaced = [
      Filter<Sample> { outer in outer.friends.contains { _ in outer.number == 1 } },
      Filter<Sample> { outer in outer.friends.contains { $0.number == outer.number } },
      Filter<Sample> { outer in outer.friends.allSatisfy { $0.flag == true && outer.flag == true }
      },
      Filter<Sample> { outer in
        outer.friends.contains { $0.friends.contains { _ in outer.friends.isEmpty } }
      },
    ]
    for filter in misplaced {
      #expect(throws: GraphError.self) {
        _ = try reader.ids(FetchRequest(filter: filter).query(in: store.model))
      }
    }
    let kept = Filter<Sample> { $0.number == 1 }
    let placed = Filter<Sample> { $0.friends.contains { _ in kept } && kept }
    #expect(try reader.ids(FetchRequest(filter: placed).query(in: store.model)).isEmpty)
  }

  @Test("Conditions tell which entities decide about them")
  func reach() throws {
    let model = try MemoryStore([Sample.self, Group.self]).model
    func reached(_ request: FetchRequest<Sample>) throws -> Set<Int> {
      try request.query(in: model).reachedEntities(model: model)
    }
    #expect(try reached(FetchRequest(where: { $0.number == 1 && $0.group == nil })).isEmpty)
    #expect(try reached(FetchRequest(where: { $0.group.name == "x" })) == [1])
    #expect(try reached(FetchRequest(where: { !$0.friends.isEmpty })) == [0])
    #expect(try reached(FetchRequest(sort: { $0.group.leader.text })) == [0, 1])
    #expect(try reached(FetchRequest(where: { $0.group.members.count > 1 })) == [0, 1])
  }

  @Test("A literal that is more than a store holds is more than all that a store holds")
  func huge() throws {
    let store = try MemoryStore([Sample.self, Group.self])
    var sample = Sample()
    sample.huge = UInt64(Int64.max)
    try store.commit([.insert(Ref(key: 1), sample, in: store.model)], from: nil)
    func isFound(_ filter: (Columns<Sample>) -> Filter<Sample>) throws -> Bool {
      let query = try FetchRequest(where: filter).query(in: store.model)
      return try !store.makeReader().ids(query).isEmpty
    }
    for literal in [UInt64(Int64.max) + 1, .max] {
      #expect(try isFound { $0.huge < literal && $0.huge <= literal && $0.huge != literal })
      #expect(try !isFound { $0.huge > literal || $0.huge >= literal || $0.huge == literal })
      #expect(try !isFound { $0.huge.isIn([literal]) })
      #expect(try isFound { $0.huge.isIn(0...literal) })
    }
  }

  @Test("Ranges are what they are in Swift, and nil is in none")
  func ranges() throws {
    let store = try MemoryStore([Sample.self, Group.self])
    for number in 0..<5 {
      var sample = Sample()
      sample.number = number
      sample.maybeNumber = number == 4 ? nil : number
      try store.commit([.insert(Ref(key: Int64(number + 1)), sample, in: store.model)], from: nil)
    }
    func numbers(_ filter: (Columns<Sample>) -> Filter<Sample>) throws -> [Int64] {
      try store.makeReader().ids(FetchRequest(where: filter).query(in: store.model)).map { $0 - 1 }
    }
    #expect(try numbers { $0.number.isIn(1..<3) } == [1, 2])
    #expect(try numbers { $0.number.isIn(1...3) } == [1, 2, 3])
    #expect(try numbers { $0.number.isIn(3..<3) } == [])
    #expect(try numbers { $0.maybeNumber.isIn(2..<9) } == [2, 3])
    #expect(try numbers { $0.maybeNumber.isIn(0...1) } == [0, 1])
    #expect(try numbers { !$0.maybeNumber.isIn(0...9) } == [4])
    #expect(try numbers { $0.number.isIn([0, 4, 9]) } == [0, 4])
    #expect(try numbers { $0.maybeNumber.isIn([1, nil]) } == [1, 4])
    #expect(try numbers { $0.number.isIn([]) } == [])
  }
}

extension Condition {
  fileprivate static func compare(
    _ name: String, _ comparison: Comparison, _ value: Int
  ) -> Condition { .compare(PropertyPath(name: name), comparison, .integer(Int64(value))) }
}

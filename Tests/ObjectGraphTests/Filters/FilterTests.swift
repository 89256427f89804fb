import Foundation
import ObjectGraph
import TestSupport
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
}

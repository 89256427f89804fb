import ObjectGraph
import Testing

@Suite("Texts of errors")
struct ErrorTextTests {
  @Test("A conflict says what was changed and what was deleted")
  func conflicts() {
    let changed = ConflictReport(object: "Card/1", properties: ["question", "rightCount"])
    let deleted = ConflictReport(object: "Card/2", properties: [])
    let other = ConflictReport(object: "Deck/3", properties: [])
    let texts = [[changed], [deleted], [deleted, other, changed]].map {
      "\(GraphError("save", .conflict($0)))"
    }
    #expect(
      texts == [
        "could not save: somebody else changed Card/1 (question, rightCount)",
        "could not save: somebody else deleted Card/2",
        "could not save: somebody else changed Card/1 (question, rightCount)"
          + " and deleted Card/2, Deck/3",
      ])
    #expect(
      "\(GraphError("save", .overtaken([changed, deleted])))"
        == "could not save: somebody else kept changing Card/1 (question, rightCount)"
        + " and deleted Card/2")
  }

  @Test("One is not counted as several")
  func counts() {
    #expect([0, 1, 2].map { $0.of("object") } == ["0 objects", "1 object", "2 objects"])
  }

  @Test("A problem of a whole value needs no property's name")
  func problems() {
    let problem = Problem("must have a question or a picture")
    #expect(problem.property == nil && problem == Problem(nil, problem.message))
    #expect("\(problem)" == "must have a question or a picture")
    #expect("\(Problem("question", "must not be empty"))" == "question must not be empty")
  }
}

import Foundation
import ObjectGraph
import Testing

@Suite("Errors for users")
struct UserErrorTests {
  @Test(
    "Their text says what is in the way, and names no id",
    arguments: [
      (
        .invalid([
          InvalidObject(object: "Card/7", problems: [Problem("question", "must not be empty")]),
          InvalidObject(object: "Card/8", problems: [Problem("question", "must not be empty")]),
        ]), "Not saved: question must not be empty."
      ),
      (
        .notUnique(entity: "Deck", properties: ["name"], object: "Deck/7"),
        "Not saved: there is another Deck with the same name."
      ),
      (
        .conflict([ConflictReport(object: "Card/7", properties: ["question"])]),
        "Not saved: somebody else has changed it meanwhile."
      ),
      (
        .conflict([ConflictReport(object: "Card/7", properties: [])]),
        "Not saved: somebody else has deleted it meanwhile."
      ),
      (
        .dangling(object: "Card/7", property: "deck", target: "Deck/7"), "It was deleted meanwhile."
      ),
      (
        .denied(entity: "Deck", property: "cards", count: 7),
        "Not deleted: it has cards still, 7 of them."
      ),
      (.readOnly, "The data can only be read."),
      (.tooLong(steps: 9), "It takes too long."),
      (.idTaken("Card/7"), "It could not be done."), (.other("Card/7"), "It could not be done."),
      (.unreadable(object: "Card/7", "no text"), "The data are damaged."),
    ] as [(GraphError.Reason, String)])
  func text(_ reason: GraphError.Reason, _ expected: String) {
    let error = GraphError("save Card/7", reason)
    #expect(error.errorDescription == expected)
    #expect(error.localizedDescription == expected)
    #expect("\(error)".hasPrefix("could not save Card/7: "))
  }
}

import Foundation
import Lineage
import LineageTestSupport
import Testing

extension ArticleTests {
  @Test("The inspector, in a process of its own, because origins are kept for a whole process")
  func inspector() async {
    await #expect(processExitsWith: .success) { try await Self.inspect() }
  }

  private static func inspect() throws {
    let folder = try Drawer()

    Responder.keepsOrigins = true  // before the slots are made

    let application = Application()
    application.provide(Theme(ink: "black"))
    let screen = ListScreen()
    try application.append(screen)
    screen.provide(Theme(ink: "green"))
    try screen.inspect(to: folder.url.appending(path: "tree.html"))

    let line = #line - 3
    #expect(try folder.names == ["tree.html"])

    let explanation = screen.explain(Theme.self)
    #expect(explanation.winner?.responder == "ListScreen")
    #expect(explanation.shadowed.map(\.responder) == ["Application"])
    print(explanation.winner?.origin ?? .restored)  // a file and a line

    #expect(
      explanation.winner?.origin == .source("LineageTests/ArticleTests+Inspector.swift", line))
  }
}

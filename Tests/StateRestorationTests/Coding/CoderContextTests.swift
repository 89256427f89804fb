import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Coders find the contexts of their responder")
struct CoderContextTests {
  /// A controller, or an object, that writes the name of the notebook that its coder finds.
  private final class Clerk: Controller, StateRestoring {
    var written: String?
    var read: String?

    func encodeRestorableState(with coder: StateEncoder) throws {
      written = coder.context(Notebook.self).value?.name
      try coder.encode(written, for: "name")
    }

    func decodeRestorableState(with coder: StateDecoder) throws {
      read = try coder.decode("name")
      #expect(coder.context(Notebook.self).value?.name == read)
    }
  }

  private static func launch(_ archive: StateArchive?) throws -> (StateArchive, [Clerk]) {
    let (app, restoration, clerks) = (App(), Restoration {}, [Clerk(), Clerk()])
    app.provide(Notebook("root"))
    clerks[0].restorationIdentifier = "clerk"
    clerks[0].provide(Notebook("own"))
    try app.append(clerks[0])
    restoration.add(clerks[1], as: "object", under: clerks[0])
    app.launch(restoring: restoration, from: archive)
    return (restoration.archive(of: app), clerks)
  }

  @Test("The encoder and the decoder of a responder, and of an object below it")
  func contexts() throws {
    let (archive, first) = try Self.launch(nil)
    #expect(first.map(\.written) == ["own", "own"])
    let (_, second) = try Self.launch(archive)
    #expect(second.map(\.read) == ["own", "own"])
  }
}

import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A responder never has another one's record")
struct NumberingTests {
  private static func forms(_ drafts: String...) throws -> (World, [Form]) {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let forms = drafts.map { _ in Form() }
    for (form, draft) in zip(forms, drafts) {
      form.restorationIdentifier = draft
      form.draft = draft
      try world.app.append(form)
    }
    return (world, forms)
  }

  @Test("A screen that was detached during a save and comes back", arguments: [false, true])
  func cachedScreen(isFull: Bool) throws {
    let (world, forms) = try Self.forms("a", "b")
    _ = world.restoration.archive(of: world.app)
    forms[0].removeFromParent()
    _ = world.restoration.archive(of: world.app)
    try world.app.append(forms[0])
    let archive =
      isFull
      ? world.restoration.archive(of: world.app)
      : world.restoration.archive(of: world.app, asksAll: false)
    #expect(try World.drafts(archive) == ["b", "a"])
  }

  @Test("A responder that stays while another archive is restored")
  func stays() throws {
    let (world, _) = try Self.forms("b")
    let first = world.restoration.archive(of: world.app)
    let other = Form()
    other.restorationIdentifier = "a"
    other.draft = "a"
    try world.app.insert(other, at: 0)
    _ = world.restoration.archive(of: world.app)
    world.restoration.restore(first, into: world.app)
    #expect(try World.drafts(world.restoration.archive(of: world.app)) == ["a", "b"])
  }

  @Test("Edits after a restoration into a running application are saved")
  func editsAfterwards() throws {
    let (world, forms) = try Self.forms("a")
    let first = world.restoration.archive(of: world.app)
    forms[0].draft = "lost"
    world.restoration.restore(first, into: world.app)
    #expect(forms[0].draft == "a")
    forms[0].draft = "kept"
    #expect(try World.drafts(world.restoration.archive(of: world.app, asksAll: false)) == ["kept"])
  }

  @Test("An edit of a detached responder is saved when it is back")
  func editsOfDetached() throws {
    let (world, forms) = try Self.forms("a", "b")
    _ = world.restoration.archive(of: world.app)
    forms[0].removeFromParent()
    forms[0].draft = "edited"
    _ = world.restoration.archive(of: world.app, asksAll: false)
    try world.app.append(forms[0])
    #expect(
      try World.drafts(world.restoration.archive(of: world.app, asksAll: false)) == ["b", "edited"])
    #expect(try World.drafts(world.restoration.archive(of: world.app)) == ["b", "edited"])
  }

  @Test("A save that a decoder asks for gives the archive of before")
  func saveWhileRestoring() throws {
    final class Saver: Controller, StateRestoring {
      var save: (() -> Void)?
      func encodeRestorableState(with coder: StateEncoder) throws {
        try coder.encode(1, for: "one")
      }
      func decodeRestorableState(with coder: StateDecoder) throws { save?() }
    }
    let (world, _) = try Self.forms("a", "b")
    let saver = Saver()
    saver.restorationIdentifier = "saver"
    try world.app.insert(saver, at: 0)
    let archive = world.restoration.archive(of: world.app)
    let again = World()
    var during: StateArchive?
    let found = Saver()
    found.restorationIdentifier = "saver"
    found.save = { [restoration = again.restoration, unowned app = again.app] in
      during = restoration.archive(of: app)
    }
    try again.app.append(found)
    again.app.launch(restoring: again.restoration, from: archive)
    #expect(during == archive)
    #expect(again.app.children.compactMap { ($0 as? Form)?.draft } == ["a", "b"])
    #expect(try World.drafts(again.restoration.archive(of: again.app)) == ["a", "b"])
  }

  @Test("A value that waits is kept, though its owner does not write it")
  func conditionalEncoding() throws {
    final class Picky: Controller, StateRestoring {
      var page: PageNumber?
      func encodeRestorableState(with coder: StateEncoder) throws {
        if let page { try coder.encode(page, for: "page") }
      }
      func decodeRestorableState(with coder: StateDecoder) throws {
        try coder.whenReady("page", into: \.page, of: self)
      }
    }
    func launch(_ archive: StateArchive?) throws -> (World, Picky) {
      let world = World()
      let picky = Picky()
      picky.restorationIdentifier = "picky"
      try world.app.append(picky)
      if archive == nil { world.app.provide(Notebook("root")) }
      world.app.launch(restoring: world.restoration, from: archive)
      return (world, picky)
    }
    let (first, picky) = try launch(nil)
    picky.page = PageNumber(notebook: "root", page: 3)
    var archive = first.archive
    for _ in 0..<2 {
      let (world, _) = try launch(archive)
      archive = world.archive
    }
    let (last, found) = try launch(archive)
    last.app.provide(Notebook("root"))
    #expect(found.page?.page == 3)
    found.page = nil
    let (after, none) = try launch(last.archive)
    after.app.provide(Notebook("root"))
    #expect(none.page == nil)
  }
}

import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Another archive, or another mark, takes no values from others")
struct OtherArchiveTests {
  @Test("A screen without a record in another archive keeps values that nothing has read")
  func unreadValues() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let without = world.archive
    let form = Form()
    form.restorationIdentifier = "form"
    try world.app.append(form)
    form.draft = "half a sentence"
    let archive = world.archive

    let again = World()
    let present = Form()
    present.restorationIdentifier = "form"
    try again.app.append(present)
    again.app.launch(restoring: again.restoration, from: archive)
    again.restoration.restore(without, into: again.app)
    #expect(present.draft == "half a sentence")
    #expect(try again.archive.value("draft", at: ["form"]) == "half a sentence")

    again.app.children.first?.restorationIdentifier = "renamed"
    again.restoration.restore(without, into: again.app)
    #expect(try again.archive.value("draft", at: ["renamed"]) == "half a sentence")
  }

  @Test("References in such values still lead to their screens")
  func unreadReferences() throws {
    let (restoration, other) = (Restoration {}, Restoration {})
    let (app, pointer) = (Application(), Pointer("pointer"))
    app.launch(restoring: restoration, from: nil)
    let without = restoration.archive(of: app)
    try app.append(pointer)
    let target = Pointer("target")
    try app.append(target)
    pointer.target = target
    let archive = restoration.archive(of: app)

    let (again, present, found) = (Application(), Pointer("pointer"), Pointer("target"))
    try again.append(present)
    try again.append(found)
    again.launch(restoring: other, from: archive)
    other.restore(without, into: again)
    let saved = other.archive(of: again)
    #expect(present.target === found)
    #expect(other.brokenInvariant == nil)

    let (third, last, end) = (Application(), Pointer("pointer"), Pointer("target"))
    try third.append(last)
    try third.append(end)
    third.launch(restoring: Restoration {}, from: saved)
    #expect(last.target === end)
  }

  @Test("Waiting values do not come after the identifier was nil")
  func newIdentifier() throws {
    let world = World()
    world.app.provide(Notebook("root"))
    world.app.launch(restoring: world.restoration, from: nil)
    try world.reader(page: 1, mark: 2)
    let again = World()
    let reader = try again.reader()
    again.app.launch(restoring: again.restoration, from: world.archive)
    reader.restorationIdentifier = nil
    reader.restorationIdentifier = "reader"
    again.app.provide(Notebook("root"))
    #expect((reader.page, reader.mark) == (nil, nil))
    #expect(again.restoration.brokenInvariant == nil)
  }
}

private final class Pointer: Controller {
  @Restorable("target") var target: Pointer?

  init(_ identifier: String) {
    super.init()
    restorationIdentifier = identifier
  }
}

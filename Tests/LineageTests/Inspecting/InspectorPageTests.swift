import Foundation
import Lineage
import LineageTestSupport
import Testing

/// An account whose password is in no archive.
private struct Account: Entity {
  var name = ""
  var password = ""
  var visits = 0

  static let schema = Schema<Account>("Account") {
    Attribute("name", \.name)
    Attribute("password", \.password, inState: false)
    Attribute("visits", \.visits)
  }
}

@Suite("The page of an inspector", .hangGuard)
struct InspectorPageTests {
  private let folder: Drawer
  private var url: URL { folder.file("tree.html") }

  init() throws { folder = try Drawer() }

  private func mode() throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
  }

  @Test("Hostile texts stay texts: </script><img src=x onerror=alert(1)>")
  func hostile() throws {
    let texts = [
      "</script><img src=x onerror=alert(1)>", "<!--<script>", "\"'`${alert(1)}&lt;\\u003c",
      "\u{2028}\u{2029}\u{202E}\u{0}\u{1B}[2J", "__proto__", "\u{E000}99\u{E001}", "a|b#c%7C",
    ]
    let application = Application()
    let context = try MemoryStore(Library.entities).makeContext()
    for text in texts { try context.insert(EditedCard(text)) }
    try context.save()
    context.name = texts[0]
    application.provide(context)
    for text in texts {
      let screen = Screen(text)
      try application.append(screen)
      screen.branch(ObjectContext.self)
      screen.expect(Theme.self).fail(Mishap(text))
      let child = try screen.require(ObjectContext.self)
      child.name = text
      try child.fetch(EditedCard.self, where: { $0.question == text }).first?.answer = text
    }
    application.drain()
    let page = try PageReader(of: application, in: folder.url)
    #expect(page.text.components(separatedBy: "</script").count == 3)
    #expect(page.text.components(separatedBy: "<script").count == 3)
    #expect(!page.text.contains("<img") && !page.text.contains("<!--"))
    // A name is shown in one line.
    let names = page.data.responders.names.dropFirst().map { page.data.texts[$0] }
    #expect(names == texts.map { $0.split(whereSeparator: \.isNewline).joined(separator: " ") })
    let changes = page.data.contexts.dropFirst().map(\.changes)
    #expect(changes.map { $0[0].properties[0][2] } == texts.map(\.debugDescription))
    page.check(application, [ObjectContext.self], "hostile")
    // Nothing but the page's own script may run, and nothing may be loaded.
    #expect(page.text.contains("default-src 'none'"))
    #expect(!page.text.contains("innerHTML") && !page.text.contains("http:"))
  }

  @Test("Only its owner can read the file, even if it replaces an older one")
  func mode600() throws {
    let application = Application()
    try application.inspect(to: url)
    #expect(try mode() == 0o600)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
    try application.inspect(to: url)
    #expect(try mode() == 0o600)
    #expect(try folder.names == ["tree.html"])
  }

  @Test("An error names the page, and the older page stays")
  func failure() throws {
    let application = Application()
    try application.inspect(to: url)
    let missing = folder.file("none").appending(path: "tree.html")
    let error = #expect(throws: GraphError.self) { try application.inspect(to: missing) }
    #expect(error?.description.contains("write the page \(missing.path)") == true)
    #expect(error?.description.contains("No such file") == true)
    let noFile = URL(filePath: "https://example.com/tree.html")
    #expect(throws: GraphError.self) { try application.inspect(to: folder.url) }
    #expect(throws: GraphError.self) { try application.inspect(to: noFile) }
    #expect(try folder.names == ["tree.html"])
  }

  @Test("A family has each context with what it would save, and no password")
  func family() throws {
    let application = Application()
    let context = try MemoryStore([Account.self]).makeContext()
    let account = try context.insert(Account(name: "ann", password: "hunter2", visits: 3))
    try context.save()
    application.provide(context)
    let (form, silent, unused) = (Screen("form"), Screen("silent"), Screen("unused"))
    for screen in [form, silent, unused] {
      try application.append(screen)
      screen.branch(ObjectContext.self)
    }
    let editing = try form.require(ObjectContext.self)
    editing.name = "editing"
    let edited = try editing.object(with: account.id)
    (edited.visits, edited.password) = (4, "hunter3")
    try editing.insert(Account(name: "bob", password: "hunter4"))
    try silent.require(ObjectContext.self).object(with: account.id).password = "hunter5"
    let page = try PageReader(of: form, in: folder.url)
    #expect(!page.text.contains("hunter"))
    #expect(page.data.contexts.map(\.parent) == [nil, 0, 0])
    #expect(page.data.contexts.map(\.isUnsaved) == [false, true, true])
    #expect(page.data.contexts.map(\.count) == [0, 2, 0])
    #expect(page.data.contexts[1].name == "ObjectContext \"editing\"")
    let changes = page.data.contexts[1].changes
    #expect(changes.map(\.sort).sorted() == ["inserted", "updated"])
    #expect(changes.first { $0.sort == "updated" }?.properties == [["visits", "3", "4"]])
    #expect(
      changes.first { $0.sort == "inserted" }?.properties
        == [["name", "", "\"bob\""], ["visits", "", "0"]])
    // No page makes a child.
    #expect(!unused.hasBranchChild(ObjectContext.self))
    #expect(page.label(page.data.asker) == form.debugLabel)
  }

  @Test("Drift, blocks and waiting tasks are marked")
  func marks() async throws {
    let application = Application()
    application.provide(Notebook("old"))
    let screen = Screen("screen")
    try application.append(screen)
    screen.branch(Notebook.self, .keep)
    _ = screen.context(Notebook.self)
    application.provide(Notebook("new"))
    application.on(String.self) { _, _ in }
    _ = screen.expect(Theme.self)
    let task = screen.task { screen in _ = try await screen.context(whenReady: Theme.self) }
    for _ in 0..<1_000 where screen.waitingKeys.isEmpty {
      application.drain()
      await Task.yield()
    }
    let page = try PageReader(of: screen, in: folder.url)
    let keys = Dictionary(uniqueKeysWithValues: page.data.keys.map { ($0.name, $0) })
    #expect(keys["Notebook"]?.drifting == [1])
    #expect(keys["Notebook"]?.contexts == [0, 0, 1, 2])
    #expect(page.data.contexts.map(\.name) == ["new", "old", "old/1"])
    #expect(keys["Theme"]?.waiting == [1])
    #expect(keys.values.filter(\.isOfHandlers).map(\.name) == ["ActionHandler<String>"])
    page.check(application, [Notebook.self, Theme.self, ActionHandler<String>.self], "marks")
    task.cancel()
    await application.settle()
  }
}

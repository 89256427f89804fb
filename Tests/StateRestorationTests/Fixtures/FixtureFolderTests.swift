import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

/// Tests with the files of a state folder that a released version has written. Each later version
/// must be able to use these files.
///
/// The bytes in ``FixtureFolder`` never change. A later version of a format adds files of its own.
@Suite("Folders of earlier versions work for ever")
struct FixtureFolderTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  /// A launch of the app of the fixture.
  private struct Launch {
    let events = Events()
    let app: App
    let restoration: Restoration
    let clock = ManualSaveClock()

    init(_ folder: URL, knowsLost: Bool = false, hasTwin: Bool = false, version: String = "1.0") {
      let events = events
      app = App(events)
      restoration = Restoration(in: .at(folder), clock: clock) {
        Kind("screen") { $0.existing ?? Screen(events) }
        Kind("form", Form.init)
        if knowsLost { Kind("lost") { $0.existing ?? Form() } }
      }
      restoration.appVersion = version
      if hasTwin {
        let twin = Screen(events, "twin")
        twin.restorationKind = "screen"
        try? app.append(twin)
      }
      app.launch(restoring: restoration)
    }

    func paths(_ outcome: RestorationReport.Outcome) -> [String] {
      restoration.report.records.filter { $0.outcome == outcome }
        .map { $0.path.joined(separator: "/") }
    }

    func form(_ name: String) -> Form? {
      app.children.first { $0.restorationIdentifier == name } as? Form
    }
  }

  /// Makes files like those in ``FixtureFolder``, with the present code. The archive has two screens,
  /// a record whose kind is lost, and a record whose place another responder has.
  private func make() throws {
    do {
      let launch = Launch(folder, knowsLost: true)
      launch.app.theme = "dark"
      for name in ["screen", "bad"] {
        let screen = Screen(launch.events, name)
        screen.restorationKind = "screen"
        screen.note = "note of \(name)"
        try launch.app.append(screen)
      }
      for name in ["lost", "twin"] {
        let form = Form()
        form.restorationIdentifier = name
        form.restorationKind = name == "lost" ? "lost" : "form"
        form.draft = "draft of \(name)"
        try launch.app.append(form)
      }
      launch.app.terminate()
    }
    Launch(folder, hasTwin: true).app.terminate()
    let state = FolderFiles(.at(folder)).load(RestorationLimits())
    let newest = try #require(state.newest)
    try FileManager.default.moveItem(
      at: folder.appending(path: newest.name), to: folder.appending(path: "state-9"))
    for name in ["state-0", "state-1", "state-launch"] {
      try? FileManager.default.removeItem(at: folder.appending(path: name))
    }
    try FileManager.default.moveItem(
      at: folder.appending(path: "state-9"), to: folder.appending(path: "state-0"))
  }

  /// Writes the files of a version to the folder.
  private func write(_ files: [String: String] = FixtureFolder.version3) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files {
      let bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
      // The constant has the guard's page without the zeros at its end.
      let zeros = Data(count: name == "guard" ? MappedPage.size - bytes.count : 0)
      try (bytes + zeros).write(to: folder.appending(path: name))
    }
  }

  private func check(_ comment: Comment) throws {
    do {
      let launch = Launch(folder)
      #expect(launch.paths(.leftOut) == [], comment)
      #expect(launch.paths(.restored).sorted() == ["", "bad", "screen", "twin"], comment)
      #expect(launch.paths(.carried).sorted() == ["lost", "twin"], comment)
      #expect(launch.restoration.isGuarded, comment)
      #expect(launch.app.theme == "dark", comment)
      launch.app.terminate()
    }
    // Another version of the app has the lost kind, so it restores the record of that kind.
    let launch = Launch(folder, knowsLost: true, version: "2.0")
    #expect(launch.form("lost")?.draft == "draft of lost", comment)
    let notes = launch.app.children.compactMap { ($0 as? Screen)?.note }.sorted()
    #expect(notes == ["note of bad", "note of screen"], comment)
    #expect(launch.paths(.carried) == ["twin"], comment)
    #expect(launch.restoration.report.problems == [], comment)
    launch.app.terminate()
  }

  @Test("The files of the first version are refused by name and kept, and state is saved again")
  func version1() throws {
    try write(FixtureFolder.version1)
    let old = try Data(contentsOf: folder.appending(path: "state-0"))
    do {
      let launch = Launch(folder)
      let problems = launch.restoration.report.problems
      #expect(problems.contains { $0.contains("state-0") && $0.contains("format 1") })
      launch.app.theme = "new"
      launch.app.terminate()
    }
    #expect(try Data(contentsOf: folder.appending(path: "quarantine/state-0.1")) == old)
    let launch = Launch(folder)
    #expect(launch.app.theme == "new")
    #expect(launch.restoration.report.problems == [])
  }

  @Test("The files of the third version restore")
  func version3() throws {
    try write()
    let state = FolderFiles(.at(folder)).load(RestorationLimits())
    #expect(state.problems == [])
    #expect(
      state.newest?.tree.findings.damaged == 0 && state.newest?.tree.findings.unusedBytes == 0)
    #expect(state.newest?.tree.findings.records == 6)
    try check("the third version")
  }

  @Test("A displaced record of the third version has its place again when that is free")
  func displaced() throws {
    try write()
    do {
      let launch = Launch(folder)
      #expect(launch.paths(.carried).sorted() == ["lost", "twin"])
      #expect(launch.form("twin") == nil)
      launch.app.children.first { $0.restorationIdentifier == "twin" }?.removeFromParent()
      launch.app.terminate()
    }
    let launch = Launch(folder)
    #expect(launch.form("twin")?.draft == "draft of twin")
  }

  @Test("The reports of the third version stay as they are beside later ones")
  func reports() throws {
    try write()
    let url = folder.appending(path: "reports.json")
    let lines = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 4)
    Launch(folder).app.terminate()
    let later = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(separator: "\n")
    #expect(later.count == 5)
    #expect(later[1] == lines[1] && later[2] == lines[2] + ",")
    #expect(later[3].contains("\"launch\":3"))
  }

  @Test("The files that the present code writes work in the same way")
  func present() throws {
    try make()
    if ProcessInfo.processInfo.environment["LINEAGE_PRINT_FIXTURE"] != nil {
      for name in ["state-0", "guard", "reports.json"] {
        var bytes = try Data(contentsOf: folder.appending(path: name))
        while name == "guard", bytes.last == 0 { bytes.removeLast() }
        print("FIXTURE \(name)\n\(bytes.base64EncodedString(options: .lineLength76Characters))")
      }
    }
    try check("the present version")
  }
}

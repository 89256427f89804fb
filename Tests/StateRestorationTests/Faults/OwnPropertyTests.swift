import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults of the application's own restorable properties")
struct OwnPropertyTests {
  /// The time at which a property is set first.
  enum Moment: CaseIterable { case initializing, beforeLaunch, launching }

  private final class ThemedApp: Application {
    @Restorable("theme") var theme = "none"
    private let launching: String?

    init(_ first: String? = nil, _ moment: Moment = .initializing) {
      launching = moment == .launching ? first : nil
      super.init()
      if let first, moment == .initializing { theme = first }
    }

    override func willFinishLaunching() {
      if let launching { theme = launching }
    }
  }

  /// Launches an application that sets its theme at the given time.
  private static func launch(
    _ first: String?, _ moment: Moment, from archive: StateArchive? = nil
  ) -> (ThemedApp, Restoration) {
    let (app, restoration) = (ThemedApp(first, moment), Restoration {})
    if let first, moment == .beforeLaunch { app.theme = first }
    app.launch(restoring: restoration, from: archive)
    return (app, restoration)
  }

  /// Returns the theme that the next process finds.
  private static func theme(_ archive: StateArchive) -> String {
    launch(nil, .initializing, from: archive).0.theme
  }

  @Test("A value from before the end of the launch is saved", arguments: Moment.allCases)
  func first(_ moment: Moment) {
    let (app, restoration) = Self.launch("dark", moment)
    let archive = restoration.archive(of: app)
    #expect(Self.theme(archive) == "dark")
  }

  @Test("Later values of the same property are saved, too", arguments: Moment.allCases)
  func later(_ moment: Moment) {
    let (app, restoration) = Self.launch("dark", moment)
    app.theme = "blue"
    let archives = [restoration.archive(of: app), restoration.archive(of: app, asksAll: false)]
    #expect(archives.map(Self.theme) == ["blue", "blue"])
  }

  @Test("An older value does not come back at each launch", arguments: Moment.allCases)
  func older(_ moment: Moment) {
    let (first, saving) = Self.launch(nil, moment)
    first.theme = "old"
    let (app, restoration) = Self.launch("default", moment, from: saving.archive(of: first))
    app.theme = "new"
    let archive = restoration.archive(of: app)
    #expect(Self.theme(archive) == "new")
  }
}

import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A restoration and an application belong to each other", .hangGuard)
struct OwnershipTests {
  @Test("One restoration with two applications is a mistake that stops the program")
  func twoApplications() async {
    await #expect(processExitsWith: .failure) {
      let restoration = Restoration {}
      let first = Application()
      first.launch(restoring: restoration, from: nil)
      let second = Application()
      second.launch(restoring: restoration, from: nil)
      withExtendedLifetime((first, second)) {}
    }
    await #expect(processExitsWith: .failure) {
      let restoration = Restoration {}
      _ = restoration.archive(of: Application())
      _ = restoration.archive(of: Application())
    }
  }

  @Test("Two restorations with one application are a mistake that stops the program")
  func twoRestorations() async {
    await #expect(processExitsWith: .failure) {
      let app = Application()
      app.launch(restoring: Restoration {}, from: nil)
      Restoration {}.restore(StateArchive(bytes: []), into: app)
    }
    await #expect(processExitsWith: .failure) {
      let app = Application()
      app.launch(restoring: Restoration {}, from: nil)
      _ = Restoration {}.archive(of: app)
    }
  }

  @Test("One restoration may be used with its application again and again")
  func again() async {
    await #expect(processExitsWith: .success) {
      let restoration = Restoration {}
      let app = Application()
      app.launch(restoring: restoration, from: nil)
      let archive = restoration.archive(of: app)
      restoration.restore(archive, into: app)
      _ = restoration.archive(of: app, asksAll: false)
      _ = try restoration.rehearse(from: app) { Application() }
    }
  }

  @Test("A restoration that another one is in the midst of stops the program")
  func nested() async {
    await #expect(processExitsWith: .failure) {
      let restoration = Restoration {}
      let app = Application()
      app.launch(restoring: restoration, from: nil)
      let archive = restoration.archive(of: app)
      restoration.ask = { [unowned restoration, unowned app] _ in
        restoration.restore(archive, into: app)
        return .all
      }
      restoration.restore(archive, into: app)
    }
  }

  private enum Other: ContextKey { typealias Value = Notebook }

  @Test("One ContextName of two keys stops the program, and the same name twice does not")
  func contextNames() async {
    await #expect(processExitsWith: .failure) {
      _ = Restoration {
        ContextName("notes", Notebook.self)
        ContextName("notes", Other.self)
      }
    }
    await #expect(processExitsWith: .success) {
      _ = Restoration {
        ContextName("notes", Notebook.self)
        ContextName("notes", Notebook.self)
      }
    }
  }
}

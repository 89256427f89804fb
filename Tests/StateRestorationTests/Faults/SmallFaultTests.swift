import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Synchronization
import Testing

@Suite("Faults in details")
struct SmallFaultTests {
  @Test("Autosaves of a small tree rarely wait for the disk")
  func smallTree() throws {
    let drawer = try Drawer()
    let syncs = Mutex(0)
    let world = StoredWorld(drawer.file("state")) { step in
      if step == .sync || step == .syncFolder { syncs.withLock { $0 += 1 } }
      return 0
    }
    try world.screen("screen").change("first")
    try world.restoration.save()
    syncs.withLock { $0 = 0 }
    for number in 0..<20 {
      world.screen?.change("change \(number)")
      world.pass()
      world.restoration.finishWriting()
    }
    #expect(syncs.withLock { $0 } <= 2)
  }

  @Test("A rehearsal names a value of a responder without an identifier")
  func rehearsal() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let form = Form()
    form.draft = "lost"
    try world.app.append(form)
    var problems: [String] = []
    do {
      _ = try world.restoration.rehearse(from: world.app) { App() }
    } catch let error as RehearsalError {
      problems = error.problems
    }
    #expect(problems.contains { $0.contains("Form") })
  }

  @Test("A kind that is set before the identifier counts")
  func kindFirst() throws {
    let world = World()
    world.app.launch(restoring: world.restoration, from: nil)
    let screen = Screen(world.events)
    screen.restorationKind = "screen"
    screen.restorationIdentifier = "one"
    try world.app.append(screen)
    #expect(screen.restorationKind == "screen")
  }

  @Test("Restoring an archive into the application also restores what was default then")
  func defaults() throws {
    let (world, forms) = try World.forms(1)
    let archive = world.archive
    forms[0].selection = 3
    forms[0].draft = "later"
    world.restoration.restore(archive, into: world.app)
    #expect(forms[0].draft == "draft 0")
    #expect(forms[0].selection == nil)
    // The default is not an edit: it is in no later archive.
    forms[0].selection = 4
    world.restoration.erase()
    forms[0].selection = 5
    world.restoration.restore(archive, into: world.app)
    #expect(forms[0].selection == nil)
  }
}

import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults with files that were damaged, forged or not read")
struct DamageFaultTests {
  private let drawer: Drawer
  private var folder: URL { drawer.file("state") }

  init() throws { drawer = try Drawer() }

  @Test("After a flipped bit in the last record, new screens are kept")
  func flippedBit() throws {
    let first = World()
    first.app.launch(restoring: first.restoration, from: nil)
    let a = try first.screen("a")
    // No process has this kind, so the screen's record and its list stay as they are.
    a.restorationKind = "other"
    let b = try first.screen("b", below: a)
    b.restorationKind = "screen"
    b.note = "note of b"
    try first.screen("d").restorationKind = "screen"
    var bytes = first.archive.bytes
    let place = try #require(Data(bytes).range(of: Data("note of b".utf8))).lowerBound
    bytes[place] ^= 1
    let world = try World.restored(StateArchive(bytes: bytes))
    #expect(world.app.descendants.count(where: { $0 is Screen }) == 1)
    let screen = try world.screen("c", below: world.find("d"))
    screen.restorationKind = "screen"
    screen.note = "note of c"
    let next = try World.restored(world.restoration.archive(of: world.app, asksAll: false))
    #expect(next.find("d", "c")?.note == "note of c")
  }

  @Test(
    "A read that fails once is tried again", arguments: [EMFILE, ENFILE, EIO, ENOMEM],
    [FileStep.open, .read])
  func failedRead(number: Int32, step: FileStep) throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("first")
      try world.restoration.save()
    }
    do {
      let world = StoredWorld(folder)
      for note in ["older", "newer"] {
        world.screen?.change(note)
        try world.restoration.save()
      }
    }
    // After the lock and the headers of three archives, the newest archive is opened and read.
    let place = step == .open ? 4 : 3
    let failing = FailingSteps(step, place..<place + 1, number)
    let world = StoredWorld(folder, probe: failing.probe)
    #expect(world.screen?.note == "newer")
  }

  @Test("A forged generation at the limit is damage, and later saves are read")
  func forgedGeneration() throws {
    do {
      let world = StoredWorld(folder)
      try world.screen("screen").change("first")
      for _ in 0..<2 { try world.restoration.save() }
    }
    let name = try #require(FolderFiles(.at(folder)).load(RestorationLimits()).newest?.name)
    let file = folder.appending(path: name)
    let forged = Forgery.forge([UInt8](try fileBytes(file)), generation: (1 << 63) - 2)
    try Data(forged).write(to: file)
    #expect(StateArchive(bytes: forged).validate().fault != nil)
    for note in ["later", "last"] {
      do {
        let world = StoredWorld(folder)
        world.screen?.change(note)
        world.app.terminate()
      }
      #expect(StoredWorld(folder).screen?.note == note)
    }
    #expect(try names(in: folder.appending(path: "quarantine")) == ["\(name).1"])
  }
}

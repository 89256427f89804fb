import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The guard page on a full disk", .serialized)
struct FullDiskTests {
  /// Makes a program whose state folder is on the disk. The folder has the state of two screens.
  private func make(_ url: URL) throws -> CrashingProgram {
    let program = try CrashingProgram(url.appending(path: "state"))
    try program.make("a", "z")
    return program
  }

  @Test("Without room for a page, the guard is off and says so, and all is restored")
  func noPage() throws {
    guard let disk = try SmallDisk(kilobytes: 256) else { return }
    let program = try make(disk.url)
    try FileManager.default.removeItem(at: program.page)
    disk.fill()
    for _ in 0..<2 {
      let launch = try program.launch("version=1")
      #expect(!launch.isGuarded)
      #expect(launch.restored.count == 5)
      #expect(launch.problems.contains { $0.contains("The crash guard is off") })
    }
    disk.empty()
    let launch = try program.launch("version=1")
    #expect(launch.isGuarded)
    #expect(launch.problems == [])
  }

  @Test("A page that is there needs no room, and counts the ends")
  func page() throws {
    guard let disk = try SmallDisk(kilobytes: 256) else { return }
    let program = try make(disk.url)
    disk.fill()
    for _ in 0..<2 { #expect(try !program.launch("version=1", "decode:a:kill").isReady) }
    for number in 0..<3 {
      let launch = try program.launch("version=1")
      #expect(launch.isGuarded && launch.isReady)
      #expect(launch.culprit == (number == 0 ? "a" : ""))
      #expect(launch.leftOut == ["a", "a/a-leaf"])
    }
    disk.empty()
    for _ in 0..<2 { #expect(try program.launch("version=1").leftOut == ["a", "a/a-leaf"]) }
    #expect(try program.launch("version=2").restored.count == 5)
  }

  @Test("Where files cannot grow, each size leaves the guard on, or off with a sentence")
  func limited() throws {
    let drawer = try Drawer()
    let program = try make(drawer.url)
    for bytes in [0, 1, 100, 4095, 4096, 100_000] {
      try FileManager.default.removeItem(at: program.page)
      let launch = try program.launch("version=1", "bytes=\(bytes)")
      #expect(launch.isReady && launch.restored.count == 5, "\(bytes)")
      #expect(launch.isGuarded == (bytes >= 4096))
      #expect(launch.problems.contains { $0.contains("guard is off") } == !launch.isGuarded)
      #expect(try program.launch("version=1").isGuarded)
    }
  }
}

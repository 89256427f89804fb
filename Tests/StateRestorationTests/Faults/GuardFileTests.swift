import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("Faults of the guard's and the lock's file")
struct GuardFileTests {
  @Test(
    "A page that another program cuts does not end the process",
    arguments: ["save", "read a", "confirm", "retryAll"])
  func cutPage(_ line: String) throws {
    let program = try CrashingProgram()
    try program.make("a", "z")
    let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe")
    let process = try ChildProcess(probe.path, ["crashing", program.folder.path, "version=1"])
    #expect(process.waits(for: "ready"))
    #expect(truncate(program.page.path, 0) == 0)
    try? process.say(line)
    try? process.say("terminate")
    try? process.input.close()
    _ = process.end()
    #expect(process.wait() == 0)
  }

  @Test("The files that were given another mode are private again", arguments: ["guard", "lock"])
  func modes(_ name: String) throws {
    let drawer = try Drawer()
    let folder = drawer.file("state")
    StoredWorld(folder).app.terminate()
    let path = folder.appending(path: name).path
    #expect(chmod(path, 0o666) == 0)
    StoredWorld(folder).app.terminate()
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }
}

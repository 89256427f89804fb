import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("The program as a process", .hangGuard)
struct ProcessTests {
  let drawer: Drawer
  let path: String

  init() throws {
    drawer = try Drawer()
    path = try drawer.write(try Samples.archives()[3].bytes)
  }

  @Test("The exit status tells what was found")
  func statuses() throws {
    #expect(try OtherProcess.run("show", path).status == 0)
    #expect(try OtherProcess.run("--help").status == 0)
    #expect(try OtherProcess.run().status == 2)
    #expect(try OtherProcess.run("show", drawer.file("absent").path).status == 2)
    var bytes = try Samples.archives()[0].bytes
    bytes[60] ^= 1
    try drawer.write(bytes, "damaged")
    #expect(try OtherProcess.run("show", drawer.file("damaged").path).status == 1)
    #expect(try OtherProcess.run("show", "--json", drawer.file("damaged").path).status == 1)
  }

  @Test("The output of the process is that of the function")
  func output() throws {
    for command in [["show"], ["show", "--json"]] {
      let result = try ChildProcess.run(OtherProcess.tool, command + [path])
      #expect(result.output == runTool(command + [path]).output)
    }
  }

  @Test("A closed pipe ends the program quietly, by the signal")
  func closedPipe() throws {
    let (application, restoration) = (Application(), makeRestoration())
    application.launch(restoring: restoration, from: nil)
    for number in 0..<3_000 { try application.append(Note("n\(number)", "some text")) }
    let path = try drawer.write(restoration.archive(of: application).bytes)
    for option in ["", "--json"] {
      let result = try OtherProcess.shell(
        #"{ "$0" show $1 "$2"; echo "status $?" >&2; } | head -n 1"#, option, path)
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines.contains("status 141"), "\(result.output)")
      // The program also ends if its parent ignores the signal.
      let ignoring = try OtherProcess.shell(
        #"trap '' PIPE; { "$0" show $1 "$2"; echo "status $?" >&2; } | head -n 1"#, option, path)
      #expect(ignoring.output.split(separator: "\n").count == 2, "\(ignoring.output)")
    }
  }

  @Test("An output that takes no bytes is an error")
  func fullOutput() throws {
    let result = try OtherProcess.shell(#""$0" show "$1" > /dev/full"#, path)
    #expect(result.status == 2)
    #expect(result.output.contains("the output cannot be written"))
    #expect(result.output.split(separator: "\n").count == 1)
  }

  @Test("A FIFO, a socket, a device and a folder are refused at once, as file and within a folder")
  func obstacles() throws {
    for obstacle in [Obstacle.fifo, .fifoLink, .socket, .loop, .danglingLink] {
      try obstacle.make(at: drawer.file(obstacle.rawValue), in: drawer)
    }
    let places = try drawer.names.filter { $0 != "state" && $0 != "victim" }
      .map { drawer.file($0).path }
    for place in places + ["/dev/zero", "/dev/full", "/dev/tty"] {
      let result = try OtherProcess.run("show", place)
      #expect(result.status == 2, "\(place)")
      #expect(result.output.split(separator: "\n").count == 1, "\(result.output)")
    }
    for name in ["state-0", "state-1", "state-launch", "reports.json"] {
      for obstacle in Obstacle.allCases where obstacle != .hardLink {
        let (folder, other) = try (Drawer(), Drawer())
        try obstacle.make(at: folder.file(name), in: other)
        let shown = try OtherProcess.run("show", folder.url.path)
        #expect(shown.status == 2, "\(name) \(obstacle): \(shown.output)")
        #expect(shown.output.contains("\(name): it is not a regular file"), "\(shown.output)")
      }
    }
  }

  @Test("A path is printed as it was given, and may have any characters")
  func paths() throws {
    let name = "a%20b \u{1B}[2J\nü"
    try drawer.write([], name)
    let relative = try OtherProcess.shell(
      #"cd "$1"; "$0" show "$2""#, drawer.url.path, name)
    #expect(
      relative.output.contains("\na%20b \\u001b[2J\\u000aü: byte 0: The archive is empty."),
      "\(relative.output)")
    let here = try OtherProcess.shell(#"cd "$1"; "$0" show ."#, drawer.url.path)
    #expect(here.output.contains("The next launch finds no state."))
  }

  @Test("The folder of an app is found by its name")
  func app() throws {
    let folder = drawer.url.appending(path: "cards")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: URL(filePath: path), to: folder.appending(path: "state-0"))
    let result = try OtherProcess.shell(
      #"XDG_STATE_HOME="$1" "$0" show --app cards"#, drawer.url.path)
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("state-0: 8 records"))
    let absent = try OtherProcess.shell(
      #"XDG_STATE_HOME="$1" "$0" show --app chess"#, drawer.url.path)
    #expect(absent.status == 2)
    #expect(absent.output.contains("chess: there is no such file or folder"))
  }

  @Test(
    "Hostile archives take little memory",
    .disabled(if: isSanitized, "sanitizers need more memory than the limit"))
  func memory() throws {
    let header = try Samples.archives()[0].bytes
    for name in HostileTests.archives.keys.sorted() {
      let items = try #require(HostileTests.archives[name])
      let bytes = Forgery(header: header, items()).bytes
      let path = try drawer.write(bytes, "hostile")
      // The limit on the address space is in kilobytes. The constant part leaves room for the
      // process itself.
      let limit = 600_000 + 100 * bytes.count / 1000
      for command in ["show", "show --json"] {
        let result = try OtherProcess.shell(
          #"ulimit -v \#(limit); "$0" \#(command) "$1" > /dev/null"#, path)
        #expect([0, 1, 2].contains(result.status), "\(name): \(command): \(result)")
      }
    }
  }
}

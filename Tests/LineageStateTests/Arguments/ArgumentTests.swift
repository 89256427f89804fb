import LineageTestSupport
import Testing

@Suite("Arguments")
struct ArgumentTests {
  @Test(
    "Wrong arguments end with status 2 and one line that says what is wrong",
    arguments: [
      ([], "a command is missing"), (["look", "x"], "there is no command look"),
      (["show"], "show needs a file, a folder, or --app NAME"),
      (["show", "a", "b"], "there are more places than one: a b"),
      (["verify", "--sizes", "x"], "verify has no option --sizes"),
      (["show", "--json", "x"], "show has no option --json"),
      (["show", "--colour", "x"], "there is no option --colour"),
      (["show", "--app"], "--app needs the name of an app"),
      (["show", "--app", "../x"], "\"../x\" is no name of an app"),
      (["show", "--app", "x", "y"], "there are more places than one"),
      (["verify", "/nowhere/at all"], "/nowhere/at all: there is no such file or folder"),
    ])
  func wrong(_ arguments: [String], _ text: String) {
    let result = runTool(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.lines.isEmpty)
    #expect(result.errors.hasPrefix("lineage-state: \(text)"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("Help and version are printed, whatever else is wanted")
  func help() {
    for arguments in [["--help"], ["-h"], ["help"], ["show", "--help"], ["show", "x", "-h"]] {
      let result = runTool(arguments)
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("Reads the state"))
      #expect(result.lines.allSatisfy { $0.count <= 100 })
    }
    #expect(runTool("--version").output == "lineage-state of Lineage, reads format 1.0\n")
  }

  @Test("A file whose name begins with a dash is named behind two dashes")
  func dashes() {
    #expect(runTool("show", "--", "-x").errors.contains("-x: there is no such file"))
  }
}

import LineageTestSupport
import Testing

@Suite("Arguments")
struct ArgumentTests {
  @Test(
    "Wrong arguments end with status 2 and one line that says what is wrong",
    arguments: [
      ([], "the only command is show"), (["look", "x"], "the only command is show"),
      (["show"], "show needs one file, one folder, or --app NAME"),
      (["show", "a", "b"], "show needs one file, one folder, or --app NAME"),
      (["show", "--sizes", "x"], "there is no option --sizes"),
      (["show", "--colour", "x"], "there is no option --colour"),
      (["show", "--app"], "--app needs the name of an app"),
      (["show", "--app", "../x"], "--app needs the name of an app"),
      (["show", "--app", ".."], "--app needs the name of an app"),
      (["show", "--app", "x", "y"], "show needs one file, one folder, or --app NAME"),
      (["show", "/nowhere/at all"], "/nowhere/at all: there is no such file or folder"),
    ])
  func wrong(_ arguments: [String], _ text: String) {
    let result = runTool(arguments)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.lines.isEmpty)
    #expect(result.errors.hasPrefix("lineage-state: \(text)"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test("The help is printed, whatever else is wanted")
  func help() {
    for arguments in [["--help"], ["-h"], ["show", "--help"], ["show", "x", "-h"]] {
      let result = runTool(arguments)
      #expect(result.status == 0)
      #expect(result.output.hasPrefix("Shows the state"))
      #expect(result.output.contains("reads format 3.0."))
      #expect(result.lines.allSatisfy { $0.count <= 100 })
    }
  }
}

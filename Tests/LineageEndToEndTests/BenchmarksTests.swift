import Foundation
import LineageTestSupport
import Testing

@Suite("The benchmarks' program", .hangGuard)
struct BenchmarksTests {
  private static let program = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appending(path: "Benchmarks").path

  /// Runs the benchmarks in a new folder. Returns the standard output and the standard error.
  private func run(
    _ arguments: String, columns: Int? = nil, expecting status: Int32 = 0
  ) throws -> (output: String, errors: String) {
    let folder = try Drawer()
    let width = columns.map { "export COLUMNS=\($0);" } ?? ""
    let line = """
      cd '\(folder.url.path)' && { \(width) '\(Self.program)' \(arguments); } >output 2>errors
      """
    let result = try ChildProcess.run("/bin/sh", ["-c", line])
    #expect(result.status == status, "\(result.output)")
    func text(_ name: String) throws -> String {
      String(decoding: try fileBytes(folder.file(name)), as: UTF8.self)
    }
    return (try text("output"), try text("errors"))
  }

  @Test("--list keeps to the terminal's width", arguments: [60, 80, 120])
  func list(width: Int) throws {
    let lines = try run("--list", columns: width).output.split(separator: "\n")
    #expect(lines.count > 40 && lines.allSatisfy { $0.count <= width })
  }

  @Test("A quick run, which CI makes, measures each case in some size")
  func quick() throws {
    func names(_ effort: String) throws -> Set<Substring> {
      let output = try run("--list \(effort)", columns: 300).output
      let measured = try #require(output.components(separatedBy: "Would be skipped").first)
      let titles = measured.split(separator: "\n").filter {
        $0.hasSuffix("case") || $0.hasSuffix("cases")
      }
      return Set(titles.map { $0.prefix(upTo: $0.lastIndex(of: ",") ?? $0.endIndex) })
    }
    let all = try names("--full")
    #expect(all.count > 30)
    #expect(try names("--quick") == all)
    #expect(try names("").isStrictSubset(of: all))
  }

  @Test("--json - leaves standard output to the JSON, which names the build")
  func json() throws {
    let (output, errors) = try run("store --quick --case open --json - --html page.html")
    let report = try #require(
      try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
    #expect(report["schema"] as? Int == 1)
    #expect((report["results"] as? [Any])?.isEmpty == false)
    #expect(errors.contains("Measured 1 case in"))
    #if DEBUG
    #expect(report["build"] as? String == "debug")
    #expect(errors.hasPrefix("Benchmarks: this is a debug build"))
    #else
    #expect(report["build"] as? String == "release")
    #expect(!errors.contains("debug build"))
    #endif
    #expect(errors.contains("\(report["build"] ?? "") build"))
  }

  @Test("--markdown writes the machine, the commit, the seed, the bars and all figures")
  func markdown() throws {
    let page =
      try run("store --quick --seed 7 --case open --markdown page.md && cat page.md")
      .output.components(separatedBy: "# Results of the benchmarks\n").last ?? ""
    for line in [
      "| processor | ", "| commit | ", "| seed | 7 |", "## store",
      "| open | rows 100,000 | Lineage / raw SQLite |  | 2.45 | not measured |",
      "### store, ms, median (ratio to raw SQLite)", "| open | 10,000 | ",
    ] {
      #expect(page.contains("\n\(line)"), "\(page)")
    }
    #expect(!page.contains("## living") && !page.contains("\n\n\n"))
  }

  @Test("A run says in one line what it skipped, and its page warns of a quick run")
  func skipped() throws {
    let output = try run("store --quick --case open && cat benchmark.html").output
    let lines = output.components(separatedBy: "\n").filter { $0.contains("kipped") }
    #expect(
      lines.first == "Skipped 1 case, which --list names and --full measures.", "\(lines)")
    // The other line is on the page.
    #expect(lines.count == 2 && lines.last?.contains("1 case skipped.</p>") == true, "\(lines)")
    #expect(output.contains("<p class=\"warning\">This was a quick run"))
  }

  @Test("--compare of a run with itself finds nothing slower, and measures nothing")
  func compare() throws {
    let output = try run(
      "store --quick --case open --json a.json && '\(Self.program)' --compare a.json -- a.json"
    ).output
    #expect(output.hasSuffix("Of 2 figures 0 slower, 0 faster.\n"), "\(output)")
    #expect(output.components(separatedBy: "Measured 1 case in").count == 2)
  }

  @Test(
    "--compare names the file that cannot be read, and exits with 1",
    arguments: [
      ("none.json", "there is no such file"), (".", "it is a folder"),
      ("output", "The given data was not valid JSON"),
    ])
  func unreadable(path: String, reason: String) throws {
    let errors = try run("--compare \(path) -- \(path)", expecting: 1).errors
    #expect(errors == "Benchmarks: \(path) cannot be read as the JSON of a run: \(reason).\n")
  }

  @Test(
    "--compare needs files on both sides, and nothing else, or exits with 2",
    arguments: [
      "--compare", "--compare a.json", "--compare a.json --", "--compare -- a.json",
      "--compare a.json -- b.json -- c.json", "--compare --quick a.json -- b.json",
      "store --compare a.json -- b.json", "--compare=a.json -- b.json", "--markdown -",
    ])
  func wrongArguments(line: String) throws {
    let (output, errors) = try run(line, expecting: 2)
    #expect(output.isEmpty && errors.hasPrefix("Benchmarks: "))
  }

  @Test("Break-evens are one table of at most 20 rows")
  func breakEven() throws {
    let output = try run("resolution --quick --case churn").output
    let table = try #require(output.components(separatedBy: "lookups per change from").last)
      .components(separatedBy: "\n\n")[1]
    let rows = table.split(separator: "\n").dropFirst(2)
    #expect((1...20).contains(rows.count), "\(output)")
    #expect(rows.allSatisfy { $0.contains(" over ") && $0.contains(", depth ") })
    #expect(!output.contains("overtakes"))
  }
}

import Foundation

/// The benchmark program. It measures the chosen cases, prints tables and writes result files. With
/// `--compare` it measures nothing, and compares the result files of two commits.
@main
struct Benchmarks {
  static func main() async {
    if CommandLine.arguments.dropFirst().first == PollLoop.argument { PollLoop.run() }
    #if Postgres
    if CommandLine.arguments.dropFirst().first == ProxyProgram.argument { ProxyProgram.run() }
    #endif
    let arguments: Arguments
    do {
      arguments = try Arguments(parsing: Array(CommandLine.arguments.dropFirst()))
    } catch {
      fail("\(error.description)", code: 2)
    }
    if arguments.wantsHelp {
      print(Arguments.help)
      return
    }
    do {
      if let files = arguments.compared {
        let comparison = try Comparison(of: files)
        print(ComparisonText(comparison: comparison, width: Terminal.width).text)
        exit(comparison.isPassed ? 0 : 1)
      }
      try await Run(arguments: arguments).perform()
    } catch let error as ArgumentError {
      fail(error.description, code: 2)
    } catch {
      fail("\(error)", code: 1)
    }
  }

  private static func fail(_ sentence: String, code: Int32) -> Never {
    complain("Benchmarks: \(sentence)")
    exit(code)
  }
}

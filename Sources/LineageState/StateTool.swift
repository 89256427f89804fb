import Foundation
import StateRestoration

/// The program `lineage-state`, which reads archived state without any code of the app that saved
/// it.
@main
package struct StateTool {
  static func main() {
    // By default, SIGPIPE ends the program quietly when the reader of a pipe closes the pipe. The
    // default is restored, because the program may have been started with this signal ignored.
    signal(SIGPIPE, SIG_DFL)
    let environment = ProcessInfo.processInfo.environment
    let hasColor =
      isatty(STDOUT_FILENO) == 1 && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
    let status = run(
      Array(CommandLine.arguments.dropFirst()),
      output: ToolOutput(.standardOutput, hasColor: hasColor),
      errors: ToolOutput(.standardError, hasColor: false))
    exit(status.rawValue)
  }

  /// Runs one command.
  ///
  /// - Returns: the exit status of the worst fault that was found.
  package static func run(
    _ arguments: [String], output: ToolOutput, errors: ToolOutput
  ) -> ExitStatus {
    do {
      let status = try perform(ToolArguments(arguments), output, errors)
      try output.flush()
      try errors.flush()
      return status
    } catch {
      // The text so far is written before the error.
      try? output.flush()
      try? errors.line("lineage-state: \(error)")
      try? errors.flush()
      return (error as? ToolError)?.status ?? .unreadable
    }
  }

  private static func perform(
    _ arguments: ToolArguments, _ output: ToolOutput, _ errors: ToolOutput
  ) throws -> ExitStatus {
    switch arguments.command {
    case .help:
      try output.lines(ToolArguments.help)
      return .good
    case .version:
      try output.line(ToolArguments.version)
      return .good
    case .verify:
      return try VerifyCommand(output: output).run(StatePlace(arguments))
    case .show, .showSizes, .export:
      let state = try StatePlace(arguments).newest()
      switch arguments.command {
      case .showSizes: try SizesCommand(state: state, output: output).run()
      case .export: try ExportCommand(state: state, output: output).run()
      default: try ShowCommand(state: state, output: output).run()
      }
      guard state.inspection.faultCount > 0 else { return .good }
      try output.flush()
      try errors.line(
        "\(state.name): \(NumberText.text(state.inspection.faultCount, "fault")). "
          + "\"lineage-state verify\" tells what and where.")
      return .damaged
    case .reports:
      try ReportsCommand(output: output).run(StatePlace(arguments))
      return .good
    }
  }
}

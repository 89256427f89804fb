import Foundation

/// The program `lineage-state`, which shows archived state without any code of the app that saved
/// it.
@main
package struct StateTool {
  static func main() {
    // By default, SIGPIPE ends the program quietly when the reader of a pipe closes the pipe. The
    // default is restored, because the program may have been started with this signal ignored.
    signal(SIGPIPE, SIG_DFL)
    let status = run(
      Array(CommandLine.arguments.dropFirst()),
      output: { try FileHandle.standardOutput.write(contentsOf: Data($0)) },
      errors: { try FileHandle.standardError.write(contentsOf: Data($0)) })
    exit(status.rawValue)
  }

  /// Runs the program. The closures get the bytes of its output and of its errors.
  ///
  /// - Returns: the exit status of the worst fault that was found.
  package static func run(
    _ arguments: [String], output: @escaping ([UInt8]) throws -> Void,
    errors: @escaping ([UInt8]) throws -> Void
  ) -> ExitStatus {
    do {
      let arguments = try ToolArguments(arguments)
      guard let path = arguments.path else {
        try output(Array("\(ToolArguments.help)\n".utf8))
        return .good
      }
      let (files, text) = (try StateFiles(path), TextOutput(output))
      try ShowCommand(files: files, output: text).run(isJSON: arguments.isJSON)
      try text.flush()
      return files.status
    } catch {
      let reason = (error as? ToolError)?.reason ?? "the output cannot be written: \(error)"
      let text = TextOutput(errors)
      try? text.line("lineage-state: \(reason)")
      try? text.flush()
      return .unusable
    }
  }
}

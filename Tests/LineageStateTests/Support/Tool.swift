import Foundation
import LineageState
import LineageTestSupport

/// The result of a run of `lineage-state`.
struct ToolResult: Equatable {
  let status: Int32
  let output: String
  let errors: String

  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The lines that name a fault by its position.
  var faults: [String] { lines.filter { $0.contains(": byte ") } }
}

/// Runs the program `lineage-state` as a function in this process.
func runTool(_ arguments: String...) -> ToolResult { runTool(arguments) }

/// Runs the program `lineage-state` as a function in this process.
func runTool(_ arguments: [String]) -> ToolResult {
  var output: [UInt8] = []
  var errors: [UInt8] = []
  let status = StateTool.run(arguments, output: { output += $0 }, errors: { errors += $0 })
  return ToolResult(
    status: status.rawValue, output: String(decoding: output, as: UTF8.self),
    errors: String(decoding: errors, as: UTF8.self))
}

extension Drawer {
  /// Writes bytes to a file in the drawer's folder.
  ///
  /// - Returns: The path of the file.
  @discardableResult
  func write(_ bytes: [UInt8], _ name: String = "state") throws -> String {
    try Data(bytes).write(to: file(name))
    return file(name).path
  }
}

import Foundation
import Lineage
import LineageTestSupport
import SQLiteStorage
import StateRestoration

/// A program that tests kill while it edits.
///
/// Usage: `LineageEditProbe command folder seed number`
@main
@MainActor
struct EditProbe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 5, let seed = UInt64(arguments[3]), let number = Int(arguments[4])
    else { return print("usage: LineageEditProbe command folder seed number") }
    let folder = URL(filePath: arguments[2])
    let store = try await SQLiteStore.open(
      at: folder.appending(path: "store"), [Item.self, Box.self])
    let isLive = arguments[1] == "type"
    let run = try await EditRun(store, folder, seed: seed, isLive: isLive, isCalm: true)
    var steps = SplitMix64(seed: seed)
    switch arguments[1] {
    case "type":
      say("ready")
      for step in 1...number {
        try await run.step(steps.next())
        say("done \(step)")
      }
    case "check":
      // Another process has done these steps, and was killed at the end or during the next one.
      for _ in 0..<number { try await run.step(steps.next()) }
      do {
        try await run.resume(orAfter: steps.next())
        print("as expected")
      } catch {
        print(run.log.joined(separator: "\n"), error, separator: "\n")
      }
    default:
      // Another process uses the folder.
      try await run.world.launch(number)
      let unsaved = run.world.contexts.filter(\.hasUnsavedChanges).count
      let report = run.world.restoration.sure.report
      print("unsaved \(unsaved)", report.problems, report.notes)
    }
  }

  /// Writes a line at once.
  private static func say(_ text: String) {
    FileHandle.standardOutput.write(Data("\(text)\n".utf8))
  }
}

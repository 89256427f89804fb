import Foundation
import StateRestoration

/// A summary of an archive in one line.
enum SummaryText {
  /// Returns the file's name, with the numbers of the archive's records and bytes.
  static func text(_ state: OpenedState) -> String {
    let inspection = state.inspection
    let date = state.saved.flatMap {
      DateText.text($0.timeIntervalSinceReferenceDate.rounded(.down))
    }
    let saved = date.map { ", saved \($0)" } ?? ""
    return "\(state.name): \(NumberText.text(inspection.nodes.count, "record")), "
      + "\(Bytes.text(inspection.byteCount)), generation \(inspection.findings.generation)\(saved)"
  }
}

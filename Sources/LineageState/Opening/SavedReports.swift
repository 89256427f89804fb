import Foundation
import StateRestoration

/// The reports of the last launches.
struct SavedReports {
  /// The reports, in the order of the launches.
  let all: [SavedReport]

  /// The greatest number of bytes that are read from a file of reports.
  private static let limit = 16 << 20

  /// Reads the reports of a folder, or a file of reports. If the file is missing, there are no
  /// reports.
  ///
  /// - Throws: ``ToolError`` if the file cannot be read or is damaged.
  init(in place: StatePlace) throws(ToolError) {
    let name = place.isFolder ? StateFileName.reports : nil
    guard let bytes = try place.read(name, limit: Self.limit) else {
      all = []
      return
    }
    do {
      all = try JSONDecoder().decode([SavedReport].self, from: Data(bytes))
    } catch {
      throw .damaged(name ?? place.path, reason: "It has no reports that can be read.")
    }
  }
}

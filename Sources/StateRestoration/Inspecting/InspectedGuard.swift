/// The page of the crash guard, read without any code of an app.
package struct InspectedGuard {
  /// The ends of launches while they restored state, as sentences. The last one may be that of the
  /// process that runs now.
  package let sentences: [String]

  /// The number of bytes of a guard page.
  private static let byteCount = 4096

  /// Reads a guard page; nil if the bytes are not a guard page. The paths of records are looked up
  /// in the inspected archive.
  package init?(_ bytes: [UInt8], _ inspection: ArchiveInspection?) {
    guard bytes.count >= Self.byteCount, GuardPage.isPage(bytes) else { return nil }
    let state = GuardPage.state(in: bytes)
    var suspects = state?.culprits ?? []
    let content = GuardWord(raw: bytes.integer(at: GuardPage.wordOffset)).content
    if let content {
      suspects.append(
        Culprit(
          generation: bytes.integer(at: GuardPage.generationOffset), record: content.record,
          path: bytes.integer(at: GuardPage.pathOffset), phase: content.phase,
          version: state?.version ?? ""))
    }
    let search = suspects.isEmpty ? nil : inspection.map { CulpritSearch(in: $0.log) }
    sentences = suspects.enumerated().map { index, suspect in
      let isLast = content != nil && index == suspects.count - 1
      let path = search?.find(suspect).first?.path.suffix(12).map { $0.prefix(80) }
      let place = path.map { $0.isEmpty ? "the application" : $0.joined(separator: " › ") }
      return (isLast ? "The last process ended" : "Left out, because a launch ended")
        + " while \(suspect.phase.text)" + (place.map { " (\($0))" } ?? "")
        + (suspect.version.isEmpty ? "." : ", in version \(suspect.version) of the app.")
    }
  }
}

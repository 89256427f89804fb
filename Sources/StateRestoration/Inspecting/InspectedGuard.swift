/// The page of the crash guard, read without any code of an app.
package struct InspectedGuard {
  /// The end of a launch while it restored state.
  package struct Ending {
    /// The identifiers on the way from the application to the responder; nil if the page names no
    /// record, or if the archive does not have the record.
    package let path: [String]?
    /// The work that was being done, as the end of a sentence that begins with "while".
    package let activity: String
    /// The version of the app in that launch.
    package let version: String
  }

  /// The work that a process is doing to restore state, or during which the last process has ended.
  /// Nil if there is none.
  package let last: Ending?
  /// The earlier crashes in records that are left out, but are not in quarantine yet.
  package let culprits: [Ending]

  /// The number of bytes of a guard page.
  package static let byteCount = 4096

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
    let endings = suspects.map { suspect in
      Ending(
        path: search?.find(suspect).first?.path, activity: suspect.phase.text,
        version: suspect.version)
    }
    last = content == nil ? nil : endings.last
    culprits = content == nil ? endings : endings.dropLast()
  }
}

import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration

/// A launch of an app that has lost the kind of one of its screens, or knows it again.
struct CarryingLaunch {
  let app = Application()
  let restoration: Restoration
  private let clock: ManualSaveClock

  /// An end of a launch.
  enum End: CaseIterable {
    /// The application is terminated.
    case terminated
    /// The whole state is saved, and the process is killed.
    case saved
    /// The changes are saved by themselves, and the process is killed.
    case killed
  }

  init(
    _ folder: URL, _ clock: ManualSaveClock, lost: Int? = nil, kept: Bool = true,
    extent: Restoration.Extent = .all, launches: Int = 5
  ) {
    self.clock = clock
    restoration = Restoration(in: FolderStorage(.at(folder)), clock) {
      if kept { Kind("kept") { $0.existing ?? Form() } }
      if let lost { Kind("lost", version: lost) { $0.existing ?? Form() } }
    }
    restoration.limits.carriedLaunches = launches
    restoration.ask = { _ in extent }
    app.launch(restoring: restoration)
  }

  /// Makes the state: a screen that each launch knows, and between two of these another one with a
  /// screen below.
  static func make(_ folder: URL, _ clock: ManualSaveClock, version: Int = 1) throws {
    let launch = CarryingLaunch(folder, clock, lost: version)
    for name in ["first", "lost", "last"] {
      let form = Form()
      form.restorationIdentifier = name
      form.restorationKind = name == "lost" ? "lost" : "kept"
      form.draft = "draft of \(name)"
      try launch.app.append(form)
      guard name == "lost" else { continue }
      let below = Form()
      below.restorationIdentifier = "below"
      below.restorationKind = "lost"
      below.draft = "draft below"
      try form.append(below)
    }
    launch.end(.terminated)
  }

  /// Ends the launch.
  func end(_ end: End) {
    switch end {
    case .terminated: app.terminate()
    case .saved: try? restoration.save()
    case .killed:
      clock.advance(by: 0.25)
      app.drain()
      restoration.finishWriting()
    }
  }

  /// The number of carried records, and whether the report says that they will be removed.
  var outcome: String {
    let isNoted = restoration.report.notes.contains { $0.contains("removed by the next launch") }
    return "\(restoration.report.count(.carried))\(isNoted ? " noted" : "")"
  }

  /// The drafts of all screens, in the order of the tree.
  var drafts: [String] { app.descendants.compactMap { ($0 as? Form)?.draft } }

  /// The drafts of the whole state.
  static let all = ["draft of first", "draft of lost", "draft below", "draft of last"]
}

extension ManualSaveClock {
  /// Lets some days pass. They may be negative.
  func advance(days: Double) { advance(by: days * 86_400) }
}

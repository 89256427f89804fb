import Foundation
import LineageTestSupport
import ResponderChain
import StateRestoration

/// A launch of an app with the kinds "kept" and "lost". A launch that does not register the kind
/// "lost" carries the records of this kind.
struct CarryingLaunch {
  let app = Application()
  let restoration: Restoration
  private let clock: ManualSaveClock

  /// A way in which a launch ends.
  enum End: CaseIterable {
    /// The application is terminated.
    case terminated
    /// The whole state is saved, and the process is killed.
    case saved
    /// The changes are saved automatically, and the process is killed.
    case killed
  }

  init(
    _ folder: URL, _ clock: ManualSaveClock, lost: Int? = nil, kept: Bool = true,
    extent: Restoration.Extent = .all, launches: Int = 5
  ) {
    self.clock = clock
    restoration = Restoration(in: .at(folder), clock: clock) {
      if kept { Kind("kept") { $0.existing ?? Form() } }
      if let lost { Kind("lost", version: lost) { $0.existing ?? Form() } }
    }
    restoration.limits.carriedLaunches = launches
    restoration.ask = { _ in extent }
    app.launch(restoring: restoration)
  }

  /// Makes the state of four screens. The first and the last one have the kind "kept". A screen of
  /// the kind "lost" is between them, and another screen of this kind is below that one.
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

  /// The drafts of all screens that ``make(_:_:version:)`` makes, in the order of the tree.
  static let all = ["draft of first", "draft of lost", "draft below", "draft of last"]
}

extension ManualSaveClock {
  /// Advances the clock by a number of days. A negative number puts the clock back.
  func advance(days: Double) { advance(by: days * 86_400) }
}

import Foundation
import StateRestoration

/// The command `verify`, which prints each fault with its file, its position and its record.
struct VerifyCommand {
  let output: ToolOutput

  /// Checks all files, and prints each fault.
  func run(_ place: StatePlace) throws -> ExitStatus {
    guard place.isFolder else {
      guard let state = try place.open() else {
        throw ToolError.file(place.path, reason: "there is no such file")
      }
      return try verify(state)
    }
    var worst = ExitStatus.good
    var newest: OpenedState?
    var count = 0
    for name in StateFileName.generations + [StateFileName.atLaunch] {
      do {
        guard let state = try place.open(name) else { continue }
        worst = max(worst, try verify(state))
        try printSize(of: state)
        if state.error == nil, newest?.candidate.isOlder(than: state.candidate) ?? true {
          newest = state
        }
      } catch let error as ToolError {
        worst = max(worst, error.status)
        try output.line("\(error)", .red)
      }
      count += 1
    }
    worst = max(worst, try verifyOthers(place))
    worst = max(worst, try verifyGuard(place, newest))
    if let newest, !newest.candidate.isTooLarge {
      try output.line("The next launch uses \(newest.name).")
      return worst
    }
    try output.line(
      count == 0 ? "There is no state in the folder." : "The next launch finds no state.", .red)
    return count == 0 || newest != nil ? .unreadable : worst
  }

  /// Checks the reports of a folder, and counts the files in its quarantine.
  private func verifyOthers(_ place: StatePlace) throws -> ExitStatus {
    var worst = ExitStatus.good
    do {
      let reports = try SavedReports(in: place)
      if !reports.all.isEmpty {
        let name = StateFileName.reports
        try output.line("\(name): good: \(NumberText.text(reports.all.count, "report"))")
      }
    } catch let error as ToolError {
      worst = error.status
      try output.line("\(error)", .red)
    }
    let quarantine = place.url.appending(path: StateFileName.quarantine)
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: quarantine.path(percentEncoded: false))
    if let files, !files.isEmpty {
      try output.line(
        "\(StateFileName.quarantine): \(NumberText.text(files.count, "file")) that a launch could not use"
      )
    }
    return worst
  }

  /// Prints which process uses the folder, and what the crash guard has recorded. A crash does not
  /// count as damage.
  private func verifyGuard(_ place: StatePlace, _ state: OpenedState?) throws -> ExitStatus {
    let holder = LockHolder.text(place.url.appending(path: StateFileName.lock))
    if let holder {
      try output.line(
        "\(StateFileName.lock): \(holder) uses the folder. A save that is not finished may be one "
          + "that it is writing now.")
    }
    let name = StateFileName.guardPage
    do {
      guard let bytes = try place.read(name), !bytes.isEmpty else { return .good }
      if let format = GuardPage.laterFormat(of: bytes) {
        throw ToolError.file(
          name,
          reason: "written in format \(format), which is newer than 1. It is neither used nor "
            + "overwritten.")
      }
      guard let page = InspectedGuard(bytes, state?.inspection) else {
        throw ToolError.damaged(name, reason: "It is not a page of the crash guard.")
      }
      if let last = page.last {
        let what = holder == nil ? "The last process ended" : "The process is restoring, or ended,"
        try output.line("\(name): \(what) while \(Self.text(last)).")
      }
      for culprit in page.culprits {
        try output.line("\(name): Left out, because a launch ended while \(Self.text(culprit)).")
      }
      return .good
    } catch let error as ToolError {
      try output.line("\(error)", .red)
      return error.status
    }
  }

  private static func text(_ ending: InspectedGuard.Ending) -> String {
    let steps = ending.path.map { path in
      path.isEmpty
        ? "the application"
        : (path.count > 12 ? "… › " : "")
          + path.suffix(12).map { $0.prefix(80) }.joined(separator: " › ")
    }
    let version = ending.version.isEmpty ? "" : ", in version \(ending.version) of the app"
    return ending.activity + (steps.map { " (\($0))" } ?? "") + version
  }

  /// Prints a line if a launch does not read the file because of its size.
  private func printSize(of state: OpenedState) throws {
    guard state.candidate.isTooLarge else { return }
    try output.line(
      "\(state.name): It has \(NumberText.text(state.inspection.byteCount)) bytes. A launch reads at most "
        + "\(NumberText.text(Candidate.byteLimit)), unless the app has set a higher limit.")
  }

  private func verify(_ state: OpenedState) throws -> ExitStatus {
    let inspection = state.inspection
    if case .file? = state.error, let error = state.error {
      try output.line("\(error)", .red)
      return .unreadable
    }
    guard inspection.faultCount > 0 else {
      try output.line("\(SummaryText.text(state)): good", .green)
      return .good
    }
    for fault in inspection.faults {
      try output.put("\(state.name): byte \(fault.position): ")
      if let node = fault.node { try output.put("\(inspection.pathText(node)): ", .bold) }
      if let key = fault.key {
        try output.put("key \(SafeText.quoted(String(key.prefix(200)))): ")
      }
      let size = fault.length > 0 ? " (\(NumberText.text(fault.length, "byte")))" : ""
      try output.line(fault.text + size)
    }
    let more = inspection.faultCount - inspection.faults.count
    if more > 0 { try output.line("\(state.name): \(NumberText.text(more, "more fault"))") }
    let isUsable = inspection.findings.fault == nil
    try output.line(
      "\(state.name): damaged: \(NumberText.text(inspection.faultCount, "fault")). "
        + (isUsable
          ? "\(NumberText.text(inspection.readableCount, "record")) can be restored."
          : "Nothing can be restored from it."),
      .red)
    return .damaged
  }
}

/// The names of the files in a state folder.
package enum StateFileName {
  /// The file that a process locks to use the folder.
  package static let lock = "lock"
  /// The two files for archives. Saves replace them in turn.
  package static let generations = ["state-0", "state-1"]
  /// The archive with which the last useful launch began. A launch is useful if it has found more
  /// than the application's own record.
  package static let atLaunch = "state-launch"
  /// All files for archives.
  static let archives = generations + [atLaunch]
  /// The names under which archives are kept after a launch that has restored nothing.
  package static let kept = archives.map { kept($0) }
  /// The reports of the last launches.
  package static let reports = "reports.json"
  /// The file of the crash guard.
  package static let guardPage = "guard"
  /// The folder of files that could not be used.
  package static let quarantine = "quarantine"

  /// Returns the name under which an archive is kept.
  static func kept(_ name: String) -> String { "\(name).kept" }
}

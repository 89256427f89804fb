/// The rule by which a launch leaves out records in which the app has crashed.
struct LeftOutRecords {
  /// The numbers of the records in which the last launches have crashed.
  let culprits: Set<UInt32>
  /// Whether records in quarantine are tried again.
  let retriesQuarantined: Bool
  let appVersion: String

  /// Returns whether the launch leaves out a record because this version of the app has crashed in
  /// it. `quarantine` is the version of the app that has crashed in the record; nil if none has.
  func contains(_ id: UInt32, _ quarantine: String?) -> Bool {
    guard let version = quarantine else { return false }
    return culprits.contains(id) || !retriesQuarantined && version == GuardState.cut(appVersion)
  }
}

/// The end of a process while code of the app ran to restore state.
public struct RestorationCrash: Sendable, Equatable {
  /// The identifiers on the way from the application to the responder that was being restored.
  /// Empty for the application itself; nil if no single responder was being restored, or if the
  /// archive has no record for it any more.
  public let path: [String]?
  /// The work that was being done, as the end of a sentence that begins with "while".
  public let activity: String
  /// The version of the app that has ended; see ``Restoration/appVersion``.
  public let appVersion: String
}

extension RestorationCrash: CustomStringConvertible {
  /// The end of the process, as a sentence.
  public var description: String {
    let name = path.map { $0.isEmpty ? "the application" : $0.joined(separator: " › ") }
    return "The last launch has ended while \(activity)" + (name.map { " (\($0))" } ?? "")
      + (appVersion.isEmpty ? "." : ", in version \(appVersion) of the app.")
  }
}

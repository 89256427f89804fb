/// The report of one launch, as it is in the folder's file of reports. The names of the keys do not
/// change between versions.
package struct SavedReport: Codable, Sendable {
  /// The number of the launch.
  package let launch: Int
  package let date: String
  package let appVersion: String
  /// The generation of the archive.
  package let generation: UInt64
  /// The fault of the archive, if it could not be read.
  package let problem: String?
  /// The number of records with each outcome, stored under the outcome's name. An outcome without
  /// records has no entry.
  package let counts: [String: Int]
  /// The records with another outcome than `restored`, or with a reason; at most a thousand.
  package let records: [Record]
  /// The sentences about state that was not archived or not read. Each is listed once. A sentence
  /// that was found several times is followed by its count.
  package let problems: [String]
  package let notes: [String]

  /// The outcome of one record.
  package struct Record: Codable, Sendable {
    package let path: [String]
    package let kind: String
    package let outcome: String
    package let reason: String?
  }
}

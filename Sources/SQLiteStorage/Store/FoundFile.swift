/// A file that was found to be usable, with the connection that found it so.
struct FoundFile {
  let path: String
  let presence: Presence
  let mode: Connection.Mode
  let connection: Connection
  let metadata: Metadata
  /// The number by which this opening signs its commits.
  let writer: Int64
}

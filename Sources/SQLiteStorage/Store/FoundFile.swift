/// A usable file that an opening has found, with the connection it used.
struct FoundFile {
  let path: String
  let presence: Presence
  let mode: Connection.Mode
  let connection: Connection
  let metadata: Metadata
  /// The number with which this opening signs its commits.
  let writer: Int64
}

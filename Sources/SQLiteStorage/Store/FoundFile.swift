/// A file that an opening has accepted, with the connection that the opening used.
struct FoundFile {
  let path: String
  let presence: Presence
  let mode: Connection.Mode
  let connection: Connection
  let metadata: Metadata
  /// A random number for this opening. The entries of its commits in `lineage_log` have it as their
  /// `writer`.
  let writer: Int64
}

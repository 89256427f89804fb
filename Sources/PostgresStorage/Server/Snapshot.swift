#if Postgres
/// The transactions that a moment of the server shows: those that had been committed when it began.
struct Snapshot: Equatable {
  /// The first transaction that may not have been over.
  var first: UInt64
  /// The first transaction that had not begun.
  var end: UInt64
  /// The transactions between these that were not over.
  var pending: [UInt64] = []

  /// Reads a snapshot as the server writes it: `10:14:11,13`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let first = UInt64(parts[0]), let end = UInt64(parts[1]) else {
      return nil
    }
    (self.first, self.end) = (first, end)
    pending = parts[2].split(separator: ",").compactMap { UInt64($0) }
  }

  /// Returns whether the moment shows what a transaction has committed.
  func shows(_ transaction: UInt64) -> Bool {
    transaction < first || (transaction < end && !pending.contains(transaction))
  }

  /// Returns whether the moment began before another one or at the same time. The snapshots of a server are in
  /// one order, and each has what the earlier ones have.
  static func <= (one: Snapshot, other: Snapshot) -> Bool {
    (one.end, -one.pending.count) <= (other.end, -other.pending.count)
  }
}
#endif

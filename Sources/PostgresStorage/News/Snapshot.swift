#if Postgres
/// The transactions that a moment of the server shows: those that had been committed when it began.
package struct Snapshot: Hashable, Sendable {
  /// The first transaction that may not have been over.
  package var first: UInt64
  /// The first transaction that had not begun.
  package var end: UInt64
  /// The transactions between these that were not over.
  package var pending: [UInt64] = []

  package init(first: UInt64, end: UInt64, pending: [UInt64] = []) {
    (self.first, self.end, self.pending) = (first, end, pending)
  }

  /// Reads a snapshot as the server writes it: `10:14:11,13`.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let first = UInt64(parts[0]), let end = UInt64(parts[1]) else {
      return nil
    }
    self.init(
      first: first, end: end, pending: parts[2].split(separator: ",").compactMap { UInt64($0) })
  }

  /// Returns whether the moment shows what a transaction has committed.
  package func shows(_ transaction: UInt64) -> Bool {
    transaction < first || (transaction < end && !pending.contains(transaction))
  }

  /// Returns whether the moment began before another one or at the same time. The snapshots of a server are in
  /// one order, and each has what the earlier ones have.
  package static func <= (one: Snapshot, other: Snapshot) -> Bool {
    (one.end, -one.pending.count) <= (other.end, -other.pending.count)
  }
}
#endif

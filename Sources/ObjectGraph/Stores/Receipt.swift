package import Foundation

/// The note in a store that edits of a context were committed. It is committed with them.
///
/// A process that has archived these edits, and was killed before it archived their save, compares the
/// count in its archive with that of the receipt.
package struct Receipt: Hashable, Sendable {
  /// The id of the context.
  package let id: UUID
  /// The number of the context's saves. A later receipt of the context replaces an earlier one.
  package let count: Int64
  /// The time of the commit, in seconds since the reference date.
  package let date: Double

  package init(id: UUID, count: Int64, date: Double) {
    (self.id, self.count, self.date) = (id, count, date)
  }

  /// The time after which a store forgets a receipt when it gets another one: 30 days, in seconds.
  package static let lifetime = 30 * 86_400.0
}

extension [UUID: Receipt] {
  /// Returns the counts of the receipts with some ids.
  package func counts(of ids: [UUID]) -> [UUID: Int64] {
    ids.reduce(into: [:]) { $0[$1] = self[$1]?.count }
  }

  /// Adds receipts, and removes those that are too old then.
  package mutating func keep(_ receipts: [Receipt]) {
    for receipt in receipts {
      self = filter { $0.value.date >= receipt.date - Receipt.lifetime }
      self[receipt.id] = receipt
    }
  }
}

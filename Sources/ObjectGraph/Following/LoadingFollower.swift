/// A follower that takes rows which a reader finds elsewhere, in slices.
package protocol LoadingFollower: ContextFollower {
  /// Whether rows are being loaded.
  var isLoading: Bool { get }
  /// Whether a slice has arrived.
  var hasSlice: Bool { get }
  /// The name of the entity whose rows are loaded.
  var entityName: String { get }
  /// Takes in at most `limit` rows that have arrived.
  func takeSlice(upTo limit: Int)
}

/// The followers of a family whose rows are being loaded elsewhere. They are not retained.
struct LoadingFollowers {
  private var entries: [WeakLoading] = []

  private struct WeakLoading {
    weak var follower: (any LoadingFollower)?
  }

  /// The followers whose rows are being loaded.
  var underWay: [any LoadingFollower] { entries.compactMap(\.follower).filter(\.isLoading) }

  /// Whether a slice has arrived.
  var hasSlice: Bool { !entries.isEmpty && underWay.contains(where: \.hasSlice) }

  /// Adds a follower that has begun to load.
  mutating func add(_ follower: any LoadingFollower) {
    entries.removeAll { $0.follower == nil || $0.follower === follower }
    entries.append(WeakLoading(follower: follower))
  }

  /// Returns the follower that takes the next slice; nil if none has arrived. Followers take turns.
  mutating func next() -> (any LoadingFollower)? {
    guard !entries.isEmpty else { return nil }
    entries.removeAll { $0.follower?.isLoading != true }
    guard let index = entries.firstIndex(where: { $0.follower?.hasSlice == true }) else {
      return nil
    }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return entry.follower
  }
}

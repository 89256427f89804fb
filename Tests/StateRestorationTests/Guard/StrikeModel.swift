/// A model of what a launch leaves out after launches that have ended during restoration.
///
/// The model is a plain value without paths of the tree: a record is left out with what is below
/// it, which is for the tree to decide.
struct StrikeModel: Equatable {
  /// A part of a restoration that can end the process.
  enum Place: Hashable {
    /// The record at a path; the empty path is the application's own record.
    case record([String])
    case asking, prefetching, decoded, reported, unconfirmed
  }

  /// The part of an archive that a launch restores.
  enum Extent: Equatable { case all(without: Set<Place>), application, nothing }

  /// An event that changes what the next launch leaves out.
  enum Event {
    /// The process has ended in a place, after the completion of other places.
    case end(Place, after: Set<Place> = [])
    /// All was restored, and confirmed where that is awaited.
    case good
    /// The user has quit while a record with a strike was waiting.
    case quit(after: Set<Place> = [])
    case otherVersion, retry(Place), retryAll
  }

  private(set) var strikes: [Place: Int] = [:]
  /// The number of ends without a good launch between them.
  private var row = 0

  /// The places with as many strikes as lead to being left out.
  private var struck: Set<Place> {
    Set(strikes.filter { $0.value >= limit($0.key) }.keys)
  }

  /// Returns the number of strikes with which a place is left out.
  private func limit(_ place: Place) -> Int { place == .prefetching ? 1 : 2 }

  /// The part that the next launch restores.
  var next: Extent {
    if row >= 6 { return .nothing }
    let isMinimal = row == 5 || !struck.isDisjoint(with: [.decoded, .reported, .unconfirmed])
    return isMinimal ? .application : .all(without: struck)
  }

  /// Changes the model by an event of the launch that ``next`` describes, or after that launch.
  mutating func note(_ event: Event) {
    switch event {
    case .end where next == .nothing: self = StrikeModel()  // The state is not to blame.
    case .end(let place, let completed):
      complete(completed)
      strikes[place, default: 0] += 1
      row += 1
    case .good:
      complete(Set(strikes.keys))
      row = 0
    case .quit(let completed): complete(completed)
    case .otherVersion:
      strikes = strikes.filter { struck.contains($0.key) }
      for place in struck { note(.retry(place)) }
      row = 0
    case .retry(let place): if struck.contains(place) { strikes[place] = limit(place) - 1 }
    case .retryAll: for place in struck { note(.retry(place)) }
    }
  }

  /// Clears the strikes of the given places, as far as the launch has restored them.
  private mutating func complete(_ places: Set<Place>) {
    let restored = next
    for place in places.subtracting(struck)
    where restored != .nothing && (restored != .application || place == .record([])) {
      strikes[place] = nil
    }
  }
}

import Foundation

/// The stores of a suite, in places that `deinit` removes.
@MainActor final class Fixtures {
  let rows: Int
  /// Whether the suite's bars apply to this number of rows.
  let hasBars: Bool
  private(set) lazy var roster = Roster(rows: rows, seed: seed)
  private let seed: UInt64
  /// The folder for places that are files.
  private let folder: URL
  private var filled: [String: any StorePlace] = [:]
  private var places: [any StorePlace] = []

  init(rows: Int, seed: UInt64, hasBars: Bool) {
    (self.rows, self.seed, self.hasBars) = (rows, seed, hasBars)
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lineage-benchmarks-\(UUID().uuidString)")
  }

  deinit {
    for place in places { place.remove() }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns a place at which there is no store yet.
  func newPlace<Place: StorePlace>(_: Place.Type) throws -> Place {
    let place = try Place.unused(places.count + 1, in: folder)
    places.append(place)
    return place
  }

  /// Returns a place with all players, which a store of the given type has written. Each call
  /// returns the same place, so the store must not be changed.
  func filledPlace<Store: PlayerStore>(for _: Store.Type) async throws -> Store.Place {
    if let place = filled[Store.name] as? Store.Place { return place }
    let place = try newPlace(Store.Place.self)
    let store = try await Store.open(place)
    try store.insert(roster.players)
    store.close()
    try place.settle()
    filled[Store.name] = place
    return place
  }

  /// Returns a new copy of the place with all players. The copy may be changed.
  func copiedPlace<Store: PlayerStore>(for type: Store.Type) async throws -> Store.Place {
    let place = try newPlace(Store.Place.self)
    try await filledPlace(for: type).copy(to: place)
    return place
  }
}

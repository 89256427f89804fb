import Foundation

/// The columns of a player, with the id.
typealias PlayerRow = (Int64, String, Int, Double, String, Date)

/// A store of players in one place, in one of the compared implementations.
///
/// Each function that reads or writes players runs one transaction, except `improveSingly`, which
/// runs one transaction for each change.
@MainActor protocol PlayerStore: AnyObject, Sendable {
  /// The result type of a fetch that may return objects with identity.
  associatedtype Found: FoundPlayers
  /// The result type of a fetch that returns plain values.
  associatedtype Values: FoundPlayers
  associatedtype ID: Sendable
  associatedtype Place: StorePlace

  static var name: String { get }
  /// Opens the store at a place, or makes an empty one with its table and index.
  static func open(_ place: Place) async throws -> Self
  /// Closes the store, which must not be used afterwards.
  func close()

  func insert(_ players: [Player]) throws
  func all() throws -> Found
  func values() throws -> Values
  func ids(of found: Found) -> [ID]
  /// Fetches the players with the given ids, one by one.
  func players(with ids: [ID]) throws -> Found
  /// Fetches the players whose score is below the given one. The score has no index.
  func players(scoringBelow score: Double) throws -> Found
  /// Fetches the players of a team, with the best score first. The team has an index.
  func players(ofTeam team: Int) throws -> Found
  /// Fetches all players, sorted by name. The name has no index.
  func sortedByName() throws -> Found
  /// Returns all columns of all players, by a statement in SQL.
  func rows() throws -> [PlayerRow]
  func first() throws -> Player?

  /// Updates the score and the time of the players at the given indices, and saves all changes
  /// together.
  func improve(_ found: inout Found, at places: [Int]) throws
  /// Updates the score of the players at the given indices, and saves after each change.
  func improveSingly(_ found: inout Found, at places: [Int]) throws
}

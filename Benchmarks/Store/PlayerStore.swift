import Foundation

/// A store of players in one file, in one of the compared implementations.
///
/// Each function that reads or writes players runs one transaction. Only `improveSingly` runs one
/// transaction for each change.
@MainActor protocol PlayerStore: AnyObject, Sendable {
  /// The result of a fetch of players that can have identity.
  associatedtype Found: FoundPlayers
  /// The result of a fetch of plain values.
  associatedtype Values: FoundPlayers
  associatedtype ID: Sendable

  static var name: String { get }
  /// Opens a file, or makes an empty one with its table and index.
  static func open(_ file: URL) async throws -> Self
  /// Closes the file. The store must not be used afterwards.
  func close()

  func insert(_ players: [Player]) throws
  func all() throws -> Found
  func values() throws -> Values
  func ids(of found: Found) -> [ID]
  /// Fetches the players with the given ids, one by one.
  func players(with ids: [ID]) throws -> Found
  /// Fetches the players below a score, by a property without an index.
  func players(scoringBelow score: Double) throws -> Found
  /// Fetches the players of a team by a property with an index, best score first.
  func players(ofTeam team: Int) throws -> Found
  func first() throws -> Player?

  /// Updates the score and the time of the players at the given indices, and saves all changes
  /// together.
  func improve(_ found: inout Found, at places: [Int]) throws
  /// Updates the score of the players at the given indices, and saves after each change.
  func improveSingly(_ found: inout Found, at places: [Int]) throws
}

import Foundation

/// Players in one file, reached in one of the compared ways.
///
/// Each function is one unit of work: one read transaction, or one write transaction.
@MainActor protocol PlayerStore: AnyObject, Sendable {
  /// What a fetch gives where there can be identity.
  associatedtype Found: FoundPlayers
  /// What a fetch gives where only the values are wanted.
  associatedtype Values: FoundPlayers
  associatedtype ID: Sendable

  static var name: String { get }
  /// Opens a file, or makes an empty one with its table and index.
  static func open(_ file: URL) async throws -> Self
  /// Nothing of it is used after that.
  func close()

  func insert(_ players: [Player]) throws
  func all() throws -> Found
  func values() throws -> Values
  func ids(of found: Found) -> [ID]
  /// One by one.
  func players(with ids: [ID]) throws -> Found
  /// By a property without an index.
  func players(scoringBelow score: Double) throws -> Found
  /// By a property with an index, the best first.
  func players(ofTeam team: Int) throws -> Found
  func first() throws -> Player?

  /// Changes score and time of those at the places, and saves them together.
  func improve(_ found: inout Found, at places: [Int]) throws
  /// Changes the score of those at the places, and saves each by itself.
  func improveSingly(_ found: inout Found, at places: [Int]) throws
}

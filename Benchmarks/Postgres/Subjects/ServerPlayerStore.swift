#if Postgres
/// A store of players on a server, in one of the compared implementations.
@MainActor protocol ServerPlayerStore: PlayerStore where Place == ServerSchema {
  /// The number of times that the store has sent something to the server, and waits for the answer.
  var trips: Int { get }

  /// Fetches the players with the given ids together, in ascending order.
  func players(withAll ids: [ID]) throws -> Found
  /// Begins a moment (read transaction), and fetches one player as its first read.
  func begin(with id: ID) throws -> Found
}
#endif

#if Postgres
/// Something that a store on a server did or met, for a log.
public enum PostgresEvent: Sendable, CustomStringConvertible {
  /// A connection was made. The number is that of the server's process for it.
  case connected(process: Int)
  /// A connection was lost, or could not be made.
  case lost(String)
  /// A read has waited for a connection, because all were in use.
  case waited(seconds: Double)
  /// The server took long for a trip, which was made for the given statement.
  case slow(statement: String, seconds: Double)
  /// The main thread waited for the server for more than 50 ms.
  case heldMainThread(statement: String, seconds: Double)
  /// A save was begun again, because the server had undone it in favour of another one, or because its
  /// connection was lost before anything was sent.
  case repeated(String)
  /// The opening has found something that a store can live with, but that may surprise: a trigger on a
  /// table, a server that keeps nothing safe from a power cut, or too few connections for the role.
  case warning(String)

  /// The event as a sentence.
  public var description: String {
    switch self {
    case .connected(let process): "connected to the server's process \(process)"
    case .lost(let reason): "a connection was lost: \(reason)"
    case .waited(let seconds): "a read waited for a connection for \(seconds) s"
    case .slow(let statement, let seconds): "the server took \(seconds) s for \(statement)"
    case .heldMainThread(let statement, let seconds):
      "the main thread waited for \(seconds) s for \(statement)"
    case .repeated(let reason): "a save is begun again: \(reason)"
    case .warning(let text): text
    }
  }
}
#endif

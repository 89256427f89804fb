#if Postgres
import Synchronization

/// The number of the present generation of a store's connections.
///
/// It grows when the server's run changes, because a connection from before may lead to the server that
/// was left. Such a connection is replaced after its use.
final class ServerGeneration: Sendable {
  private let current = Atomic(0)

  var number: Int {
    get { current.load(ordering: .acquiring) }
    set { current.store(newValue, ordering: .releasing) }
  }
}
#endif

import ObjectGraph
import Synchronization

/// The faults that a context reported because it could not throw them.
final class Faults: Sendable {
  private let heard: Mutex<[GraphError]> = Mutex([])

  var hear: @Sendable (GraphError) -> Void {
    { [self] fault in heard.withLock { $0.append(fault) } }
  }

  /// The faults as sentences.
  var lines: [String] { heard.withLock { $0.map(\.description) } }

  /// The names of the faults' reasons.
  var reasons: [String] {
    heard.withLock { $0 }.map { fault in refusal { throw fault } ?? "" }
  }
}

package import ResponderChain

/// The calls that observers heard, in order.
package final class Log {
  package var lines: [String] = []

  package init() {}

  /// Hands out the lines and starts anew.
  package func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// Observes and writes `name state` lines.
  package func observe<K: ContextKey>(_ responder: Responder, _ key: K.Type) -> ContextObservation {
    responder.observe(key) { [weak self] me, resolution in
      self?.lines.append("\(me.debugName ?? "app") \(resolution)")
    }
  }
}

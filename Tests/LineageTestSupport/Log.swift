package import ResponderChain

/// A log of the calls of observers, in order.
package final class Log {
  package var lines: [String] = []

  package init() {}

  /// Returns the lines and empties the log.
  package func take() -> [String] {
    defer { lines = [] }
    return lines
  }

  /// Observes a key at a responder. Each call of the observer appends a line with the name of the
  /// responder and the state of the key.
  package func observe<K: ContextKey>(_ responder: Responder, _ key: K.Type) -> ContextObservation {
    responder.observe(key) { [weak self] me, resolution in
      self?.lines.append("\(me.debugName ?? "app") \(resolution)")
    }
  }
}

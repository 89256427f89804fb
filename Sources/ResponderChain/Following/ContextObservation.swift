/// The token of an observation. The observation ends when the token is released or cancelled.
///
/// Store the token as long as the observation should last, usually in the responder that observes.
/// The token does not retain the responder, and observing does not retain the token.
/// ``Responding/onChange(of:_:)`` needs no token, because it observes for as long as the responder
/// lives.
public final class ContextObservation {
  private let observer: Observer

  @usableFromInline
  init(_ observer: Observer) {
    self.observer = observer
  }

  deinit {
    // The last reference may be released on any thread. So this only marks the observation as
    // ended, and the tree's isolation removes it later.
    observer.end()
  }

  /// Ends the observation. Its closure is not called again.
  public func cancel() {
    observer.end()
  }
}

/// The token of an observation, which ends when the token is dropped or cancelled.
///
/// Keep it where the observation should live, usually in the responder that observes. It keeps
/// neither the responder alive nor is it kept alive by it. An observation that lives as long as its
/// responder needs none: ``Responding/onChange(of:_:)``.
public final class ContextObservation {
  private let observer: Observer

  @usableFromInline
  init(_ observer: Observer) {
    self.observer = observer
  }

  deinit {
    // The last reference may go on any thread: the registration is swept by the tree's owner.
    observer.end()
  }

  /// Ends the observation: its closure is not called again.
  public func cancel() {
    observer.end()
  }
}

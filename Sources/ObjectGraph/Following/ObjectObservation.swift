/// A token that keeps a closure registered with an object, a live list or a live value. After the
/// release of the token, the closure is not called again.
///
/// The token retains neither a context nor a list, and no list and no value retains the token. The
/// token of an object retains this object.
public final class ObjectObservation {
  private var end: (() -> Void)?

  /// Creates a token. Its closure `end` retains what the observer needs to be called.
  init(end: @escaping () -> Void) { self.end = end }

  /// Ends the observation now. The closure is not called again.
  public func cancel() {
    end?()
    end = nil
  }
}

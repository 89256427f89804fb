import Synchronization

/// The closure of an observer, which either the round that calls it or the token that ends it may
/// be the last to hold, on different threads.
///
/// An atomic state says who lets go of the closure: the token, if nobody is calling; else the caller
/// when it is back.
final class ObserverBody {
  typealias Call = (Responder, Answer) -> Void

  private enum State {
    static let idle: UInt8 = 0
    static let calling: UInt8 = 1
    static let ended: UInt8 = 2
  }

  private let state = Atomic<UInt8>(State.idle)
  private var body: Call?

  init(_ body: @escaping Call) {
    self.body = body
  }

  var hasEnded: Bool { state.load(ordering: .acquiring) == State.ended }

  /// Whether the observer is being called by somebody further up the stack.
  var isBusy: Bool { state.load(ordering: .relaxed) == State.calling }

  /// Calls the closure unless it ended.
  func call(_ responder: Responder, _ answer: Answer) {
    let (claimed, _) = state.compareExchange(
      expected: State.idle, desired: State.calling, ordering: .acquiring)
    guard claimed else { return }
    body?(responder, answer)
    let (returned, _) = state.compareExchange(
      expected: State.calling, desired: State.idle, ordering: .releasing)
    if !returned { body = nil }
  }

  /// Lets go of the closure; works from any thread.
  func end() {
    if state.exchange(State.ended, ordering: .acquiringAndReleasing) == State.idle { body = nil }
  }
}

/// Ends an observation when it is dropped, or when told.
///
/// Keep it where the observation should live, usually in the responder that observes. It keeps
/// neither the responder alive nor is it kept alive by it.
public final class ContextObservation {
  private let listener: Listener
  private let body: ObserverBody

  init(_ listener: Listener, _ body: ObserverBody) {
    self.listener = listener
    self.body = body
  }

  deinit {
    // The last reference may go on any thread: the registration is swept by the tree's owner.
    body.end()
  }

  /// Ends the observation: its closure is not called again.
  public func end() {
    body.end()
  }
}

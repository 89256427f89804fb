#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the synchronous call that runs on this thread is in the middle of.
///
/// Callbacks and destruction are synchronous, so whatever they cause happens on the same thread,
/// further down the stack. A thread is never in two trees' isolation at once.
final class ThreadState {
  private var round: Round?
  private var dying: [Responder]?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = pthread_key_create(&key) { state in
      #if canImport(Darwin)
        Unmanaged<ThreadState>.fromOpaque(state).release()
      #else
        if let state { Unmanaged<ThreadState>.fromOpaque(state).release() }
      #endif
    }
    precondition(status == 0, "The process has no thread-specific keys left.")
    return key
  }()

  private static var current: ThreadState {
    if let state = pthread_getspecific(key) {
      return Unmanaged<ThreadState>.fromOpaque(state).takeUnretainedValue()
    }
    let state = ThreadState()
    pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
    return state
  }

  /// The round of notifications that changes on this thread join.
  static var round: Round? {
    get { current.round }
    set { current.round = newValue }
  }

  /// Releases responders one after the other, however deep the tree below them is: what dies
  /// meanwhile hands its own here instead of releasing it further down the stack.
  static func release(_ responders: inout [Responder], survivor: (Responder) -> Void) {
    let state = current
    // Taken out, since whoever is still in the caller's array cannot be released here.
    guard state.dying == nil else {
      state.dying?.append(contentsOf: responders)
      responders = []
      return
    }
    state.dying = responders
    responders = []
    while var responder = state.dying?.popLast() {
      if !isKnownUniquelyReferenced(&responder) { survivor(responder) }
    }
    state.dying = nil
  }
}

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
  /// Where each of them is announced if it lives on, and where the one is that dies now.
  private var homes: [Mailbox?] = []
  private var home: Mailbox?

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
  ///
  /// Those that live on are announced in the given mailbox, or where their dying owner is.
  static func release(_ responders: inout [Responder], to mailbox: Mailbox?) {
    let state = current
    let count = responders.count
    // Taken out, since whoever is still in the caller's array cannot be released here.
    guard state.dying == nil else {
      state.homes.append(contentsOf: repeatElement(mailbox ?? state.home, count: count))
      state.dying?.append(contentsOf: responders)
      responders = []
      return
    }
    state.homes = Array(repeating: mailbox, count: count)
    state.dying = responders
    responders = []
    while var responder = state.dying?.popLast() {
      state.home = state.homes.popLast() ?? nil
      if !isKnownUniquelyReferenced(&responder) {
        state.home?.post(.survivor(Survivor(responder: responder)))
      }
    }
    state.dying = nil
    state.home = nil
  }
}

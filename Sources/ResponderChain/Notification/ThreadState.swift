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
  /// One for all that happens on the thread: each has as much to do as the last, with the same memory.
  private let round = Round()
  private var dying: [Responder?]?
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

  private static var current: Unmanaged<ThreadState> {
    if let state = pthread_getspecific(key) { return .fromOpaque(state) }
    let state = Unmanaged.passRetained(ThreadState())
    pthread_setspecific(key, state.toOpaque())
    return state
  }

  /// The round of notifications that changes on this thread join. It lives as long as the thread.
  static var round: Unmanaged<Round> {
    current._withUnsafeGuaranteedRef { .passUnretained($0.round) }
  }

  /// Releases responders one after the other, however deep the tree below them is: what dies
  /// meanwhile hands its own here instead of releasing it further down the stack.
  ///
  /// Those that live on are announced in the given mailbox, or where their dying owner is.
  static func release(_ owned: inout OwnedResponders, to mailbox: Mailbox?) {
    let state = current.takeUnretainedValue()
    let count = owned.places.count
    // Taken out, since whoever is still in the caller's array cannot be released here.
    guard state.dying == nil else {
      state.homes.append(contentsOf: repeatElement(mailbox ?? state.home, count: count))
      state.dying?.append(contentsOf: owned.places)
      owned = OwnedResponders()
      return
    }
    state.homes = Array(repeating: mailbox, count: count)
    state.dying = owned.places
    owned = OwnedResponders()
    while var responder = state.dying?.popLast() {
      state.home = state.homes.popLast() ?? nil
      if !isKnownUniquelyReferenced(&responder), let responder {
        state.home?.post(.survivor(Survivor(responder: responder)))
      }
    }
    state.dying = nil
    state.home = nil
  }
}

import Synchronization

/// Calls a closure.
///
/// Either the round that calls the closure or the token that ends it may be the last to use it, on
/// different threads. Both raise their flag, then look at the other's, with a fence between: so at
/// least one of them sees both raised, and the first to see it lets go of the closure. A round
/// claims many observers with one fence, since two atomic exchanges for each would be a sixth of the
/// cost of a notification.
@usableFromInline
final class Observer: Listener {
  @usableFromInline typealias Call = (Responder, Heard) -> Void

  /// What goes with the closure.
  private final class Body {
    let call: Call
    /// Valid as long as the node is in a tree that a round holds.
    let responder: Unmanaged<Responder>

    init(_ responder: Responder, _ call: @escaping Call) {
      self.call = call
      self.responder = .passUnretained(responder)
    }
  }

  private let body: Unmanaged<Body>
  /// What it last heard; a value's cell and a failure are retained by hand.
  private(set) var last = Heard.missing
  /// Raised by a round while it may call.
  private let isClaimed = Atomic<Bool>(false)
  /// Raised by the token.
  private let ended = Atomic<Bool>(false)
  /// Raised by whoever lets go of the closure.
  private let isReleased = Atomic<Bool>(false)
  /// How often it was called in the round with this number.
  private var calls: (count: Int32, round: UInt64) = (0, 0)

  init(_ responder: Responder, _ key: any ErasedKey.Type, _ call: @escaping Call) {
    body = .passRetained(Body(responder, call))
    super.init(.observer, key)
  }

  deinit {
    releaseBody()
    last.release()
  }

  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Ends it: the closure is not called again, and let go by whoever uses it last. Works from any
  /// thread, and more than once.
  func end() {
    ended.store(true, ordering: .sequentiallyConsistent)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !isClaimed.load(ordering: .acquiring) { releaseBody() }
  }

  /// Claims those who are called next; the closures of those that have not ended by then stay until
  /// they are given back.
  static func claim(_ places: Slice<UnsafeMutableBufferPointer<Audience.Place>>) {
    for place in places { place.observer { $0.isClaimed.store(true, ordering: .relaxed) } }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  static func giveBack(_ places: Slice<UnsafeMutableBufferPointer<Audience.Place>>) {
    for place in places { place.observer { $0.isClaimed.store(false, ordering: .releasing) } }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for place in places { place.observer { if $0.isEnded { $0.releaseBody() } } }
  }

  /// Calls the closure unless it ended. The caller has claimed it, or nobody has its token yet; and
  /// sees to it that the responder lives.
  func call(_ answer: Heard) {
    remember(answer)
    callBody(answer)
  }

  /// The same for many.
  @inline(__always)
  func call(_ answer: Heard, _ ledger: inout ReferenceLedger) {
    let old = last
    last = answer
    if let object = answer.object { ledger.retain(object) }
    if let object = old.object { ledger.release(object) }
    callBody(answer)
  }

  @inline(__always)
  private func callBody(_ answer: Heard) {
    if isEnded { return }
    body._withUnsafeGuaranteedRef { body in
      body.responder._withUnsafeGuaranteedRef { body.call($0, answer) }
    }
  }

  /// Remembers what it hears, or would have heard.
  func remember(_ answer: Heard) {
    let old = last
    last = answer
    answer.retain()
    old.release()
  }

  /// Counts a call in a round.
  func countCall(in round: UInt64) -> Int32 {
    calls = (calls.round == round ? calls.count + 1 : 1, round)
    return calls.count
  }

  /// The responder it calls, for one that has not ended.
  var target: Responder { body.takeUnretainedValue().responder.takeUnretainedValue() }

  private func releaseBody() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { body.release() }
  }
}

extension Audience.Place {
  /// The listener, if it is an observer.
  @inline(__always)
  fileprivate func observer(_ body: (Observer) -> Void) {
    listener._withUnsafeGuaranteedRef {
      if $0.kind == .observer { body(unsafeDowncast($0, to: Observer.self)) }
    }
  }
}

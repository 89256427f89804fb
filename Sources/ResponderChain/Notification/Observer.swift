import CLineageRuntime
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
  private let body: Unmanaged<ObserverBody>
  private var lastObject: Unmanaged<AnyObject>?
  /// The round that last called it.
  private var round: UInt64 = 0
  private var lastKind = Heard.Kind.missing
  /// How often that round called it.
  private var calls: UInt8 = 0
  /// Raised by a round while it may call.
  private let isClaimed = Atomic<Bool>(false)
  /// Raised by the token.
  private let ended = Atomic<Bool>(false)
  /// Raised by whoever lets go of the closure.
  private let isReleased = Atomic<Bool>(false)

  init(_ key: any ErasedKey.Type, _ body: ObserverBody) {
    self.body = .passRetained(body)
    super.init(.observer, key)
  }

  deinit {
    releaseBody()
    last.release()
  }

  /// What it last heard; a value's cell and a failure are retained by hand.
  private(set) var last: Heard {
    get { Heard(kind: lastKind, object: lastObject) }
    set { (lastKind, lastObject) = (newValue.kind, newValue.object) }
  }

  var isEnded: Bool { ended.load(ordering: .acquiring) }

  /// Ends it: the closure is not called again, and let go by whoever uses it last. Works from any
  /// thread, and more than once.
  func end() {
    ended.store(true, ordering: .sequentiallyConsistent)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !isClaimed.load(ordering: .acquiring) { releaseBody() }
  }

  /// Gives back those who were called and claims those who are called next, with one fence: the
  /// closures of those that have not ended by then stay until they are given back.
  ///
  /// Each of them lies in three places, which a loop over ten thousand would wait for one after the
  /// other: so they are asked for ahead, and those of the waiting with them.
  static func claim(_ next: Places, givingBack called: Places) {
    for place in called { place.observer { $0.isClaimed.store(false, ordering: .releasing) } }
    for place in next {
      place.observer {
        $0.isClaimed.store(true, ordering: .relaxed)
        prefetch_object($0.body.toOpaque())
      }
      place.waiting { prefetch_object(Unmanaged.passUnretained($0.waiter).toOpaque()) }
    }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for place in called { place.observer { if $0.isEnded { $0.releaseBody() } } }
    for place in next {
      place.observer { observer in
        guard !observer.isEnded else { return }
        observer.body._withUnsafeGuaranteedRef { prefetch_object($0.captured) }
      }
      place.waiting { $0.waiter.askAhead() }
    }
  }

  typealias Places = Slice<UnsafeMutableBufferPointer<Audience.Place>>

  /// Asks for those who are claimed next time.
  static func askAhead(_ places: Places) {
    for place in places { prefetch_object(place.listener.toOpaque() + 64) }
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
    body._withUnsafeGuaranteedRef { $0.call($0, answer) }
  }

  /// Remembers what it hears, or would have heard.
  func remember(_ answer: Heard) {
    let old = last
    last = answer
    answer.retain()
    old.release()
  }

  /// Counts a call in a round; a hundred are too many before the count is at its end.
  func countCall(in round: UInt64) -> UInt8 {
    calls = self.round == round ? calls + 1 : 1
    self.round = round
    return calls
  }

  /// The responder it calls, for one that has not ended.
  var target: Responder { body.takeUnretainedValue().responder.takeUnretainedValue() }

  private func releaseBody() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { body.release() }
  }
}

/// What goes with an observer's closure, and is let go with it.
@usableFromInline
class ObserverBody {
  @usableFromInline typealias Call = (ObserverBody, Heard) -> Void

  /// Calls the subclass's closure. Captures nothing, so that no memory is read for it.
  fileprivate let call: Call
  /// Valid as long as the node is in a tree that a round holds.
  @usableFromInline let responder: Unmanaged<Responder>
  /// What the subclass's closure captured: asked for ahead, never read.
  fileprivate let captured: UnsafeRawPointer?

  @usableFromInline
  init(_ responder: Responder, _ captured: UnsafeRawPointer?, _ call: @escaping Call) {
    self.responder = .passUnretained(responder)
    self.captured = captured
    self.call = call
  }
}

/// The same for one type of responder and of value.
@usableFromInline
final class TypedBody<Owner: Responder, Value>: ObserverBody {
  @usableFromInline typealias OnChange = (Owner, Resolution<Value>) -> Void
  @usableFromInline let onChange: OnChange

  @inlinable
  init(_ owner: Owner, _ onChange: @escaping OnChange) {
    self.onChange = onChange
    // A closure is its code and what it captured.
    let (_, captured) = unsafeBitCast(onChange, to: (Int, UnsafeRawPointer?).self)
    super.init(owner, captured) { body, heard in
      let body = unsafeDowncast(body, to: TypedBody.self)
      body.responder._withUnsafeGuaranteedRef { responder in
        // The responder is the one that registered, whose type is known here.
        heard.lend(Value.self) { body.onChange(unsafeDowncast(responder, to: Owner.self), $0) }
      }
    }
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

  /// The listener, if somebody waits.
  @inline(__always)
  fileprivate func waiting(_ body: (Waiting) -> Void) {
    listener._withUnsafeGuaranteedRef {
      if $0.kind == .waiting { body(unsafeDowncast($0, to: Waiting.self)) }
    }
  }
}

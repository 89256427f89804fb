import CLineageRuntime
import Synchronization

/// A listener that calls a closure.
///
/// The closure is released as soon as the observation ends, so that its captures do not live on. On
/// one thread a round may be calling the closure, while on another thread a token ends the
/// observation. The round and the token each set a flag, then read the other flag, with a memory
/// fence between. So at least one of them sees both flags set. The first one to see this releases
/// the closure.
///
/// A round claims many observers with one fence. So the closure of an ended observation may be
/// released a few calls later in the round. Rejected: two atomic exchanges for each call, because
/// they are a sixth of the cost of a notification (`late delivery`, 10,000 observers). Releasing
/// closures in a later sweep is rejected too, because it keeps their captures alive.
@safe
@usableFromInline
final class Observer: Listener {
  private let body: Unmanaged<ObserverBody>
  /// The last answer that the observer received, or that was stored without a call.
  private(set) var last = Answer.missing
  /// The number of the round that last called the observer.
  private var round: UInt64 = 0
  /// The number of times that the observer was called in the round that last called it.
  private var calls: UInt8 = 0
  /// The flag that a round sets while it may call the closure.
  private let isClaimed = Atomic<Bool>(false)
  /// Whether the closure is released. The round and the ending token may both try to release it;
  /// the first to set this flag does.
  private let isReleased = Atomic<Bool>(false)

  init(_ key: any ErasedKey.Type, _ body: ObserverBody, stage: RoundStage = .last) {
    unsafe self.body = .passRetained(body)
    super.init(.observer, key, stage: stage)
  }

  deinit { releaseBody() }

  /// Ends the observation, after which the closure is not called again.
  ///
  /// The closure is released by this call, or by the round that is using it. The function may be
  /// called on any thread, and more than once.
  override func end() {
    super.end()
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !isClaimed.load(ordering: .acquiring) { releaseBody() }
  }

  override func nodeWillEnd() { end() }

  /// Ends the claim on observers that were called, and claims the next observers, with one memory
  /// fence.
  ///
  /// If a claimed observer has not ended before the fence, its closure stays alive until the claim
  /// ends. The closures of the next observers and the sleepers of waits are prefetched. Otherwise a
  /// loop over ten thousand listeners would wait for the memory of each.
  ///
  /// Rejected: letting each woken task prefetch the memory of later tasks, because the delivery
  /// lost as much time as the tasks saved (`late delivery` to waiters).
  static func claim(
    _ next: Range<Int>, givingBack called: Range<Int>, in members: ContiguousArray<Audience.Member>
  ) {
    for index in called {
      members[index].observer { $0.isClaimed.store(false, ordering: .releasing) }
    }
    for index in next {
      // The call of `lineage_prefetch` is outside the closure. Inside, the compiler would retain
      // the observer for the call.
      if let body = unsafe members[index].observer({ unsafe $0.claim() }) {
        unsafe lineage_prefetch(body)
      }
      members[index].listener.with {
        if $0.kind == .waiting { $0.cast(to: WaitRegistration.self).sleeperMemory.prefetch() }
      }
    }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for index in called { members[index].observer { if $0.hasEnded { $0.releaseBody() } } }
  }

  /// Claims the observer, and returns the memory of its closure for prefetching.
  @inline(__always)
  private func claim() -> UnsafeMutableRawPointer {
    isClaimed.store(true, ordering: .relaxed)
    return unsafe body.toOpaque()
  }

  /// Prefetches the memory of the listeners in a range. The round calls them after the observers
  /// that it has claimed.
  static func prefetch(_ range: Range<Int>, in members: ContiguousArray<Audience.Member>) {
    for index in range { members[index].listener.prefetchForCall() }
  }

  /// Calls the closure, unless the observation has ended.
  ///
  /// No other thread may release the closure during the call. So the caller must have claimed the
  /// observer (see ``claim(_:givingBack:in:)``), or must still be registering it, when no other
  /// code has its token. The caller must also keep the responder alive.
  @inline(__always)
  func call(_ answer: Answer) {
    remember(answer)
    if hasEnded { return }
    unsafe body._withUnsafeGuaranteedRef { body in
      unsafe body.target._withUnsafeGuaranteedRef { body.call(body, $0, answer) }
    }
  }

  /// Stores an answer as ``last``, without calling the closure.
  @inline(__always)
  func remember(_ answer: Answer) {
    // The old answer is released after the access to `last`, because a deinit may run any code.
    var old = answer
    swap(&last, &old)
  }

  /// Counts a call in the round with this number, and returns how often the observer was called in
  /// that round.
  /// The count does not overflow, because a round stops at a hundred calls.
  func countCall(in round: UInt64) -> UInt8 {
    calls = self.round == round ? calls + 1 : 1
    self.round = round
    return calls
  }

  /// The responder that the closure receives. This property may be read only before the observation
  /// has ended.
  var target: Responder { unsafe body.takeUnretainedValue().responder }

  private func releaseBody() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { unsafe body.release() }
  }
}

/// An observer's closure, in an object that is released when the observation ends.
@safe
@usableFromInline
class ObserverBody {
  @usableFromInline typealias Call = (ObserverBody, Responder, Answer) -> Void

  /// A function that calls the subclass's closure. It captures nothing. It is not a method, because
  /// methods of generic classes are not specialised.
  fileprivate let call: Call
  /// The responder that the closure receives. It is not retained, so the caller must keep it alive.
  fileprivate let target: Unmanaged<Responder>

  @usableFromInline
  init(_ responder: Responder, _ call: @escaping Call) {
    unsafe target = .passUnretained(responder)
    self.call = call
  }

  /// The responder that the closure receives.
  final var responder: Responder { unsafe target.takeUnretainedValue() }
}

/// An observer's closure, with the types of its responder and value.
@usableFromInline
final class TypedBody<Owner: Responder, Value>: ObserverBody {
  @usableFromInline typealias OnChange = (Owner, Resolution<Value>) -> Void
  @usableFromInline let onChange: OnChange

  @inlinable
  init(_ owner: Owner, _ onChange: @escaping OnChange) {
    self.onChange = onChange
    super.init(owner) { body, responder, answer in
      // The observer calls the closure with the object that stores it, and with the responder that
      // registered it. So their types are these.
      let body = unsafe unsafeDowncast(body, to: TypedBody.self)
      answer.lend(Value.self) {
        body.onChange(unsafe unsafeDowncast(responder, to: Owner.self), $0)
      }
    }
  }
}

extension Audience.Member {
  /// Calls the closure with the member's listener if it is an observer. Otherwise returns nil.
  @inline(__always)
  @discardableResult
  fileprivate func observer<R>(_ body: (Observer) -> R) -> R? {
    listener.with { $0.kind == .observer ? body($0.cast(to: Observer.self)) : nil }
  }
}

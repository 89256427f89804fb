import CLineageRuntime
import Synchronization

/// Calls a closure.
///
/// Either the round that calls the closure or the token that ends it may be the last to use it, on
/// different threads. Both raise their flag, then look at the other's, with a fence between: so at
/// least one of them sees both raised, and the first to see it releases the closure. A round claims
/// many observers with one fence, because two atomic exchanges for each would be a sixth of the cost
/// of a notification (`late delivery`, 10,000 observers).
@safe
@usableFromInline
final class Observer: Listener {
  private let body: Unmanaged<ObserverBody>
  /// The last answer that it heard; a value's cell and a failure are retained by hand.
  private(set) var last = UnretainedAnswer.missing
  /// The round that last called it.
  private var round: UInt64 = 0
  /// The number of calls in that round.
  private var calls: UInt8 = 0
  /// Raised by a round while it may call.
  private let isClaimed = Atomic<Bool>(false)
  /// Raised by the side that releases the closure.
  private let isReleased = Atomic<Bool>(false)

  init(_ key: any ErasedKey.Type, _ body: ObserverBody) {
    unsafe self.body = .passRetained(body)
    super.init(.observer, key)
  }

  deinit {
    releaseBody()
    unsafe last.release()
  }

  /// Ends it: the closure is not called again, and released by the side that uses it last.
  ///
  /// Works from any thread, and more than once.
  override func end() {
    super.end()
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if !isClaimed.load(ordering: .acquiring) { releaseBody() }
  }

  override func nodeWillEnd() { end() }

  /// Gives back the observers that were called and claims those that are called next, with one fence:
  /// the closures of those that have not ended by then stay until they are given back.
  ///
  /// Each of them lies in three members, which a loop over ten thousand would wait for one after the
  /// other. So they are prefetched, and so are the sleepers of waits.
  static func claim(
    _ next: Range<Int>, givingBack called: Range<Int>, in members: ContiguousArray<Audience.Member>
  ) {
    for index in called {
      members[index].observer { $0.isClaimed.store(false, ordering: .releasing) }
    }
    for index in next {
      // Outside of the closure, where the call would have the observer's references counted.
      if let body = unsafe members[index].observer({ unsafe $0.claim() }) {
        unsafe prefetch_object(body)
      }
      members[index].listener.with {
        if $0.kind == .waiting { $0.cast(to: WaitRegistration.self).sleeperMemory.prefetch() }
      }
    }
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    for index in called { members[index].observer { if $0.hasEnded { $0.releaseBody() } } }
  }

  /// Claims it; returns the memory of its closure.
  @inline(__always)
  private func claim() -> UnsafeMutableRawPointer {
    isClaimed.store(true, ordering: .relaxed)
    return unsafe body.toOpaque()
  }

  /// Prefetches the observers that are claimed next time.
  static func prefetch(_ range: Range<Int>, in members: ContiguousArray<Audience.Member>) {
    for index in range { members[index].listener.prefetchForCall() }
  }

  /// Calls the closure unless it ended. The caller has claimed it, or its token is not handed out
  /// yet; and sees to it that the responder lives.
  func call(_ answer: UnretainedAnswer) {
    remember(answer)
    callBody(answer)
  }

  /// Calls the closure unless it ended, as one of many observers that probably hear the same.
  @inline(__always)
  func call(_ answer: UnretainedAnswer, _ ledger: inout ReferenceLedger) {
    let old = last
    last = answer
    ledger.replace(old, by: answer)
    callBody(answer)
  }

  @inline(__always)
  private func callBody(_ answer: UnretainedAnswer) {
    if hasEnded { return }
    unsafe body._withUnsafeGuaranteedRef { $0.call($0, answer) }
  }

  /// Remembers what it hears, or would have heard.
  func remember(_ answer: UnretainedAnswer) {
    let old = last
    unsafe answer.retain()
    last = answer
    unsafe old.release()
  }

  /// Counts a call in a round; a hundred are too many before the count is at its end.
  func countCall(in round: UInt64) -> UInt8 {
    calls = self.round == round ? calls + 1 : 1
    self.round = round
    return calls
  }

  /// The responder it calls, for one that has not ended.
  var target: Responder { unsafe body.takeUnretainedValue().responder }

  private func releaseBody() {
    if !isReleased.exchange(true, ordering: .acquiringAndReleasing) { unsafe body.release() }
  }
}

/// An observer's closure, which is released when the observation ends.
@safe
@usableFromInline
class ObserverBody {
  @usableFromInline typealias Call = (ObserverBody, UnretainedAnswer) -> Void

  /// Calls the subclass's closure. It captures nothing, and it is no method, because methods of
  /// generic classes are not specialised.
  fileprivate let call: Call
  /// The responder, not retained. Valid as long as the node is in a tree that a round holds.
  @usableFromInline let target: Unmanaged<Responder>

  @usableFromInline
  init(_ responder: Responder, _ call: @escaping Call) {
    unsafe target = .passUnretained(responder)
    self.call = call
  }

  /// The responder.
  final var responder: Responder { unsafe target.takeUnretainedValue() }
}

/// The closure of an observer whose types of responder and value are known.
@usableFromInline
final class TypedBody<Owner: Responder, Value>: ObserverBody {
  @usableFromInline typealias OnChange = (Owner, Resolution<Value>) -> Void
  @usableFromInline let onChange: OnChange

  @inlinable
  init(_ owner: Owner, _ onChange: @escaping OnChange) {
    self.onChange = onChange
    super.init(owner) { body, answer in
      let body = unsafe unsafeDowncast(body, to: TypedBody.self)
      unsafe body.target._withUnsafeGuaranteedRef { responder in
        // The responder is the one that registered, whose type is known here.
        answer.lend(Value.self) {
          body.onChange(unsafe unsafeDowncast(responder, to: Owner.self), $0)
        }
      }
    }
  }
}

extension Audience.Member {
  /// Calls the closure with the listener, if it is an observer.
  @inline(__always)
  @discardableResult
  fileprivate func observer<R>(_ body: (Observer) -> R) -> R? {
    listener.with { $0.kind == .observer ? body($0.cast(to: Observer.self)) : nil }
  }
}

/// Counts the references to what many observers hear one after another.
///
/// Each observer keeps what it last heard, and most of a run hear the same and have heard the same.
/// An atomic count for each took half of the time of a notification (`late delivery`); here they are
/// taken, and given back, many at a time.
@safe
struct ReferenceLedger: ~Copyable {
  @safe private struct CountedReference {
    var object: Unmanaged<AnyObject>
    var count: UInt32
  }

  /// References that were taken and that no observer has yet.
  private var credit: CountedReference?
  /// The number that is taken at once next time: those for all, as long as all hear the same.
  private var grant: UInt32
  /// References that no observer has any more, not yet given back.
  private var debt: CountedReference?

  /// A ledger for so many observers, who will probably hear the same.
  init(expecting count: Int) { grant = UInt32(min(max(count, 1), 256)) }

  /// Takes a reference to one answer, and gives that to another back, at the latest when the ledger
  /// is closed.
  @inline(__always)
  mutating func replace(_ old: UnretainedAnswer, by new: UnretainedAnswer) {
    if let object = unsafe new.object { unsafe retain(object) }
    if let object = unsafe old.object { unsafe release(object) }
  }

  @inline(__always)
  private mutating func retain(_ object: Unmanaged<AnyObject>) {
    if let entry = credit, unsafe entry.object.toOpaque() == object.toOpaque(),
      entry.count > 0
    {
      credit = unsafe CountedReference(object: object, count: entry.count - 1)
    } else {
      unsafe take(object)
    }
  }

  private mutating func take(_ object: Unmanaged<AnyObject>) {
    if let credit {
      grant = unsafe credit.object.toOpaque() == object.toOpaque() ? min(grant * 2, 256) : 1
    }
    giveBackCredit()
    _ = unsafe swift_retain_n(object.toOpaque(), grant)
    credit = unsafe CountedReference(object: object, count: grant - 1)
  }

  @inline(__always)
  private mutating func release(_ object: Unmanaged<AnyObject>) {
    if let entry = debt, unsafe entry.object.toOpaque() == object.toOpaque(),
      entry.count < 256
    {
      debt = unsafe CountedReference(object: object, count: entry.count + 1)
    } else {
      payDebt()
      debt = unsafe CountedReference(object: object, count: 1)
    }
  }

  /// Gives back all references that no observer has.
  mutating func close() {
    giveBackCredit()
    payDebt()
  }

  private mutating func giveBackCredit() {
    guard let entry = credit else { return }
    credit = nil
    if entry.count > 0 { unsafe swift_release_n(entry.object.toOpaque(), entry.count) }
  }

  /// The ledger is settled before an object's end runs code of others.
  private mutating func payDebt() {
    guard let entry = debt else { return }
    debt = nil
    unsafe swift_release_n(entry.object.toOpaque(), entry.count)
  }
}

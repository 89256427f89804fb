/// What one responder says about one key.
///
/// A slot that expects a value, or whose value joined a mailbox, is never reused: whatever replaces
/// it is another object, so that a late delivery knows that it comes too late.
final class Slot {
  /// The node. It holds the slot, and every table the slot is pushed to lies below it.
  unowned(unsafe) let owner: Core
  let key: any ErasedKey.Type
  let id: KeyID
  /// What a dying responder closes, which works from any thread.
  let promise: Promise?
  /// The task that fills a pending slot; a dying responder cancels it.
  let load: LoadTask?
  var state: SlotState
  /// What tells the slot's value in which tree it is.
  var listener: ContextListener?

  init(_ key: any ErasedKey.Type, owner: Core, state: SlotState, load: LoadTask? = nil) {
    if case .pending(let promise, _) = state { self.promise = promise } else { promise = nil }
    self.key = key
    self.id = key.id
    self.owner = owner
    self.state = state
    self.load = load
  }

  /// The value, if the slot has one of its own.
  var valueCell: Cell? {
    if case .value(let cell) = state { cell } else { nil }
  }

  /// The value that lookups may read without evaluating anything.
  var settledCell: Cell? {
    switch state {
    case .value(let cell): cell
    case .branch(let branch): branch.settled
    case .pending, .failed, .block: nil
    }
  }

  var kind: SlotSummary.Kind {
    switch state {
    case .value: .value
    case .pending: .pending
    case .failed: .failed
    case .branch(let branch): .branch(branch.policy)
    case .block: .block
    }
  }
}

enum SlotState {
  case value(Cell)
  case pending(Promise, PromiseListener)
  case failed(Failure)
  case branch(Branch)
  case block
}

/// One failure, told apart from another with the same error.
@usableFromInline
final class Failure {
  @usableFromInline let error: any Error

  init(_ error: any Error) {
    self.error = error
  }
}

/// A slot as seen from outside: what restoration and drawings read.
public struct SlotSummary {
  /// What a slot says.
  public enum Kind: Equatable, Sendable, CustomStringConvertible {
    /// It has a value.
    case value
    /// Its value is expected or being loaded.
    case pending
    /// Its load or delivery failed.
    case failed
    /// It has a child of what is inherited.
    case branch(BranchPolicy)
    /// It ends lookups.
    case block

    /// The kind in one or two words.
    public var description: String {
      switch self {
      case .value: "value"
      case .pending: "pending"
      case .failed: "failed"
      case .branch(let policy): "branch, \(policy.rawValue)"
      case .block: "block"
      }
    }
  }

  /// The key the slot is about.
  public let key: any ContextKey.Type
  /// What it says.
  public let kind: Kind
}

/// The data of the oracle. Nodes, contexts and observers refer to each other by number.
extension Oracle {
  struct Node {
    var kind: Program.Kind
    var parent: Int?
    var children: [Int] = []
    var rootView: Int?
    var presented: Int?
    var slots: [Int: Slot] = [:]
    var isAlive = true
    var isHeld = true

    /// The nodes that this node owns, in the order of `Responder.descendants`.
    var owned: [Int] { [rootView].compactMap(\.self) + children + [presented].compactMap(\.self) }
  }

  enum Slot {
    case value(Int)
    case pending(delivery: Int)
    case failed(Int)
    case branch(Branch)
    case block
  }

  struct Branch {
    var policy: Operation.Policy
    /// The child context, its parent context, and the registration number of the child. The
    /// property is nil until a child is made.
    var child: (context: Int, parent: Int, registration: Int)?
  }

  struct Context {
    /// The parent context; nil for a context of the program.
    var parent: Int?
    var isDirty = false
    var name: String?
    /// The number of children that have a name.
    var namedChildren = 0
  }

  struct Observer {
    var node: Int
    var key: Int
    var stage: Operation.Stage
    var registration: Int
    var lastHeard: Answer
    /// The step that the observer runs once, in its first call after `delay` other calls.
    var script: Operation?
    var delay: Int
  }

  /// A listener in a round: an observer, or a branch that may have to drop its child.
  enum Listener: Hashable {
    case observer(Int)
    case branch(node: Int, key: Int)
  }

  /// A step that is queued for the end of a stage, with its number in the log. Without a step, it looks
  /// whether the first responder has left.
  struct Work {
    var number: Int
    var step: Operation?
  }

  /// The result of a lookup. A context is represented by its number.
  enum Answer: Equatable {
    case value(Int)
    case pending
    case failed(Int)
    case missing
    case blocked
    /// A child that the branch at `node` would make from the context `of`. The lookup was not
    /// allowed to make it.
    case unmade(node: Int, of: Int)
  }
}

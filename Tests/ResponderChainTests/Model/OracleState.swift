/// The plain data of the oracle: numbers that refer to numbers.
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

    /// All that the node owns, in the order in which `descendants` visits it.
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
    /// The child, the context it was made of, and when it was made among the registrations.
    var child: (context: Int, parent: Int, registration: Int)?
  }

  struct Context {
    /// The context that made this one; `nil` for those of the program.
    var parent: Int?
    var isDirty = false
    var name: String?
    /// The number of its children that have a name.
    var namedChildren = 0
  }

  struct Observer {
    var node: Int
    var key: Int
    var stage: Operation.Stage
    var registration: Int
    var lastHeard: Answer
    /// The step that it does once, and the number of calls that come before.
    var script: Operation?
    var delay: Int
  }

  /// A listener that has a turn in a round: an observer, or a branch that may have to let go of its
  /// child.
  enum Listener: Hashable {
    case observer(Int)
    case branch(node: Int, key: Int)
  }

  /// The work at the end of a stage.
  struct Work {
    var number: Int
    var step: Operation
  }

  /// The result of a lookup; contexts are numbers, the same number is the same context.
  enum Answer: Equatable {
    case value(Int)
    case pending
    case failed(Int)
    case missing
    case blocked
    /// The child that the branch of a node would make of a context, if it were asked to.
    case unmade(node: Int, of: Int)
  }
}

/// A deliberate fault. A test expects that the model test finds it and shrinks its program.
enum Sabotage: String, CaseIterable {
  case losesEveryEighthNotification
  case ignoresBlocks
  case mistakesPolicies
  case notifiesInReverse
  case forgetsNestedSteps
  case deliversLate
  case mistakesStages
}

/// A model that forwards all calls to another model, and adds a deliberate fault.
final class Sabotaged: Model {
  private let model: any Model
  private let fault: Sabotage
  private var heard = 0

  init(_ model: any Model, _ fault: Sabotage) {
    self.model = model
    self.fault = fault
  }

  func perform(_ operation: Operation) -> [Event] {
    spoiled(model.perform(spoiled(operation)))
  }

  func finish() -> [Event] { model.finish() }

  private func spoiled(_ operation: Operation) -> Operation {
    switch (fault, operation) {
    case (.ignoresBlocks, .block(let node, let key)): .read(node, key: key, fromNext: true)
    case (.mistakesPolicies, .branch(let policy, let node, let key)):
      .branch(policy == .keep ? .follow : .keep, on: node, key: key)
    case (.forgetsNestedSteps, .observe(let observer, let node, let key, _, let delay)):
      .observe(observer, on: node, key: key, script: nil, delay: delay)
    case (.mistakesStages, .atEnd(.first, let work, let step)): .atEnd(.last, work: work, step)
    case (.mistakesStages, .batch(let steps)): .batch(steps.map(spoiled))
    case (.mistakesStages, .observe(let observer, let node, let key, let script?, let delay)):
      .observe(observer, on: node, key: key, script: spoiled(script), delay: delay)
    case (.deliversLate, .deliver(let value, let delivery)): .deliver(value + 1, to: delivery)
    default: operation
    }
  }

  private func spoiled(_ events: [Event]) -> [Event] {
    switch fault {
    case .losesEveryEighthNotification:
      events.filter {
        guard case .heard = $0 else { return true }
        heard += 1
        return !heard.isMultiple(of: 8)
      }
    case .notifiesInReverse:
      events.allSatisfy { if case .heard = $0 { true } else { false } }
        ? events.reversed() : events
    default: events
    }
  }
}

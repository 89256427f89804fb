/// What a responder finds under a key at this moment.
public enum Resolution<Value> {
  /// The nearest slot's value.
  case value(Value)
  /// The nearest slot expects its value.
  case pending
  /// The nearest slot's load or delivery failed.
  case failed(any Error)
  /// No responder on the way has a slot for the key.
  case missing
  /// A responder on the way ends lookups of the key.
  case blocked

  /// The value, if there is one.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }

  @inlinable
  init(_ answer: Answer) {
    switch answer {
    case .value(let cell): self = .value(unsafeDowncast(cell, to: Cell<Value>.self).value)
    case .pending: self = .pending
    case .failed(let failure): self = .failed(failure.error)
    case .missing: self = .missing
    case .blocked: self = .blocked
    }
  }
}

extension Resolution {
  /// Takes the value out at once: what was heard is held by nobody on behalf of the call.
  @inlinable
  init(_ heard: Heard) {
    switch heard.kind {
    case .value:
      guard let cell = heard.object else {
        self = .missing
        return
      }
      self = .value(
        cell._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Cell<Value>.self).value })
    case .failed:
      guard let failure = heard.object else {
        self = .missing
        return
      }
      self = .failed(
        failure._withUnsafeGuaranteedRef { unsafeDowncast($0, to: Failure.self).error })
    case .pending: self = .pending
    case .missing: self = .missing
    case .blocked: self = .blocked
    }
  }
}

extension Resolution: CustomStringConvertible {
  /// The state's name, with the value or error.
  public var description: String {
    switch self {
    case .value(let value): "value \(value)"
    case .pending: "pending"
    case .failed(let error): "failed: \(error)"
    case .missing: "missing"
    case .blocked: "blocked"
    }
  }
}

/// Where a lookup starts.
public enum LookupStart: Sendable {
  /// At the responder itself.
  case `self`
  /// At the next responder: what the responder inherits, whatever it provides itself.
  case next
}

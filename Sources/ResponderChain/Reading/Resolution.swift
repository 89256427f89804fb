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
    case .value(let cell): self = .value(unsafeDowncast(cell, to: TypedCell<Value>.self).value)
    case .pending: self = .pending
    case .failed(let failure): self = .failed(failure.error)
    case .missing: self = .missing
    case .blocked: self = .blocked
    }
  }
}

extension Heard {
  /// Lends what was heard, which whoever calls keeps: the observer remembers it until it hears
  /// something else.
  @inlinable
  @inline(__always)
  func lend<Value>(_: Value.Type, _ body: (Resolution<Value>) -> Void) {
    guard let object else { return body(stateWithoutObject()) }
    object._withUnsafeGuaranteedRef {
      if kind == .value {
        body(unsafeDowncast($0, to: TypedCell<Value>.self).resolution)
      } else {
        body(.failed(unsafeDowncast($0, to: Failure.self).error))
      }
    }
  }

  @inlinable
  func stateWithoutObject<Value>() -> Resolution<Value> {
    switch kind {
    case .pending: .pending
    case .blocked: .blocked
    case .missing, .value, .failed: .missing
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

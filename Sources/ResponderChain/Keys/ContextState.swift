/// The result of a lookup. Clients use it under the name ``Resolution``.
public enum ContextState<Value, Failed> {
  /// The nearest slot has a value.
  case value(Value)
  /// The nearest slot's value is expected or being loaded, and has not arrived.
  case pending
  /// The load or delivery of the nearest slot failed.
  case failed(Failed)
  /// No responder has a slot for the key, from the start of the lookup to the top of the tree.
  case missing
  /// The nearest slot blocks lookups of the key.
  case blocked

  /// The value; `nil` in all other states.
  public var value: Value? {
    if case .value(let value) = self { value } else { nil }
  }
}

/// The result of a lookup at a responder: a value, or the reason for which there is none.
public typealias Resolution<Value> = ContextState<Value, any Error>

/// The result of a lookup without the type of the value, for use inside the module.
@usableFromInline
typealias Answer = ContextState<Cell, FailureBox>

extension ContextState where Failed == any Error {
  @inlinable
  init(_ answer: Answer) {
    switch answer {
    case .value(let cell): self = .value(cell.value(as: Value.self))
    case .pending: self = .pending
    case .failed(let failure): self = .failed(failure.error)
    case .missing: self = .missing
    case .blocked: self = .blocked
    }
  }
}

extension ContextState where Value == Cell, Failed == FailureBox {
  /// The cell if the answer is a value; nil otherwise.
  @inline(__always)
  var cell: CellRef? {
    if case .value(let cell) = self { CellRef(cell) } else { nil }
  }

  /// Returns whether both answers have the same ``FailureBox``, or the same state without a value
  /// or failure. The result is false for two values.
  func isSameState(as other: Answer) -> Bool {
    switch (self, other) {
    case (.failed(let a), .failed(let b)): a === b
    case (.pending, .pending), (.missing, .missing), (.blocked, .blocked): true
    case (.value, _), (.failed, _), (.pending, _), (.missing, _), (.blocked, _): false
    }
  }

  /// Calls the closure with the answer as a ``Resolution``.
  @inlinable
  @inline(__always)
  func lend<T>(_: T.Type, _ body: (Resolution<T>) -> Void) {
    switch self {
    case .value(let cell): body(unsafe unsafeDowncast(cell, to: TypedCell<T>.self).resolution)
    case .failed(let failure): body(.failed(failure.error))
    case .pending: body(.pending)
    case .missing: body(.missing)
    case .blocked: body(.blocked)
    }
  }
}

extension ContextState: Sendable where Value: Sendable, Failed: Sendable {}

extension ContextState: CustomStringConvertible {
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

/// The error of a failed slot, as an object. A second failure with an equal error is another
/// object, so that observers are called again.
@usableFromInline
final class FailureBox {
  @usableFromInline let error: any Error

  init(_ error: any Error) {
    self.error = error
  }
}

/// An ``Answer`` that is compared without counting references.
struct Heard {
  private enum Kind: UInt8 {
    case value
    case failed
    case pending
    case missing
    case blocked
  }

  static var missing: Heard { Heard(kind: .missing, object: nil) }

  private let kind: Kind
  private let object: Unmanaged<AnyObject>?

  init(retaining answer: Answer) {
    switch answer {
    case .value(let cell): self.init(kind: .value, object: .passRetained(cell))
    case .failed(let failure): self.init(kind: .failed, object: .passRetained(failure))
    case .pending: self = Heard(kind: .pending, object: nil)
    case .missing: self = Heard(kind: .missing, object: nil)
    case .blocked: self = Heard(kind: .blocked, object: nil)
    }
  }

  private init(kind: Kind, object: Unmanaged<AnyObject>?) {
    self.kind = kind
    self.object = object
  }

  func release() { object?.release() }

  /// The cell, if it was a value.
  var cell: Unmanaged<AnyObject>? { kind == .value ? object : nil }

  /// Whether an answer that is no value is the same.
  func isSameState(as answer: Answer) -> Bool {
    switch answer {
    case .value: false
    case .failed(let failure):
      kind == .failed && object?.toOpaque() == Unmanaged.passUnretained(failure).toOpaque()
    case .pending: kind == .pending
    case .missing: kind == .missing
    case .blocked: kind == .blocked
    }
  }
}

/// Compares values, remembering the last pair: a round compares the same two again and again.
struct CellComparison {
  private var last: (a: UnsafeMutableRawPointer, b: UnsafeMutableRawPointer, isEqual: Bool)?
  /// Keeps the addresses of the pair from being used again.
  private var held: (AnyObject, AnyObject)?

  mutating func isEqual(
    _ a: Unmanaged<AnyObject>, _ b: Unmanaged<AnyObject>, _ key: any ErasedKey.Type
  ) -> Bool {
    let (p, q) = (a.toOpaque(), b.toOpaque())
    if p == q { return true }
    if let last, last.a == p, last.b == q { return last.isEqual }
    held = (a.takeUnretainedValue(), b.takeUnretainedValue())
    let isEqual = key.isEqual(a.takeUnretainedValue(), b.takeUnretainedValue())
    last = (p, q, isEqual)
    return isEqual
  }
}

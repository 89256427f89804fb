/// An ``Answer`` that counts no references: what observers are called with, and remember.
@usableFromInline
struct Heard {
  @usableFromInline
  enum Kind: UInt8 {
    case value
    case failed
    case pending
    case missing
    case blocked
  }

  static var missing: Heard { Heard(kind: .missing, object: nil) }

  @usableFromInline let kind: Kind
  /// A ``Cell`` of the key's value, or a ``Failure``.
  @usableFromInline let object: Unmanaged<AnyObject>?

  init(_ answer: Answer) {
    switch answer {
    case .value(let cell): self.init(value: .passUnretained(cell))
    case .failed(let failure): self.init(kind: .failed, object: .passUnretained(failure))
    case .pending: self.init(kind: .pending, object: nil)
    case .missing: self.init(kind: .missing, object: nil)
    case .blocked: self.init(kind: .blocked, object: nil)
    }
  }

  init(value cell: Unmanaged<Cell>) {
    self.init(kind: .value, object: .fromOpaque(cell.toOpaque()))
  }

  init(kind: Kind, object: Unmanaged<AnyObject>?) {
    self.kind = kind
    self.object = object
  }

  func retain() { _ = object?.retain() }

  func release() { object?.release() }

  /// The cell, if it was a value.
  var cell: Unmanaged<Cell>? {
    kind == .value ? object.map { .fromOpaque($0.toOpaque()) } : nil
  }

  /// Whether both are the same state, or the same failure, and no values.
  func isSameState(as other: Heard) -> Bool {
    kind != .value && kind == other.kind && object?.toOpaque() == other.object?.toOpaque()
  }
}

/// Compares values, remembering the last pair: a round compares the same two again and again.
struct CellComparison {
  private var last: (a: Cell, b: Cell, isEqual: Bool)?

  mutating func isEqual(
    _ a: Unmanaged<Cell>, _ b: Unmanaged<Cell>, _ key: any ErasedKey.Type
  ) -> Bool {
    a._withUnsafeGuaranteedRef { a in
      b._withUnsafeGuaranteedRef { b in
        if let isEqual = a.isEvidentlyEqual(to: b) { return isEqual }
        if let last, last.a === a, last.b === b { return last.isEqual }
        let isEqual = key.isEqual(a, b)
        last = (a, b, isEqual)
        return isEqual
      }
    }
  }
}

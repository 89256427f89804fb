import ResponderChain

/// The storage of a property with a contextual value, which can be followed, and which may keep a part
/// of the value for the time before the value's context is there.
@usableFromInline
final class ContextualCell<Value: ContextualValue>: ValueCell<Value> {
  /// The facts that only few properties have.
  private var extras: ContextualExtras<Value>?

  @usableFromInline
  override init(_ key: PropertyKey, _ value: Value) { super.init(key, value) }

  init(
    _ key: PropertyKey, _ value: Value, keeping part: @escaping (Value) -> Value.Early?,
    _ hear: @escaping ContextualExtras<Value>.Hearing
  ) {
    super.init(key, value)
    extras = ContextualExtras(part)
    add(hear)
  }

  /// The part of the value that is kept: that of the present value, else the last one.
  var kept: Value.Early? { extras?.part?(value) ?? extras?.lastPart }

  /// Adds a closure that follows the value.
  func add(_ hear: @escaping ContextualExtras<Value>.Hearing) {
    let extras = extras ?? ContextualExtras()
    extras.hearings.append(hear)
    self.extras = extras
    isFollowed = true
  }

  override func write(to writer: inout ValueWriter) throws {
    guard let part = extras?.part?(value) else { return try value.write(to: &writer) }
    try writer.writeEarly(part) { try value.write(to: &$0) }
  }

  override func read(from reader: inout ValueReader) throws {
    // A value may also have an early part of its own, which it reads itself.
    if let extras, extras.part != nil {
      extras.lastPart = try reader.readEarlyPart(Value.Early.self)
    }
    replace(with: try Value.read(from: &reader))
  }

  override func valueDidChange(in owner: Responder, isArchived: Bool, isGone: Bool) {
    guard let extras else { return }
    let present = extras.part?(value)
    if !isArchived || present != nil { extras.lastPart = present }
    for hear in extras.hearings { hear(owner, value, isGone) }
  }
}

/// The closures that follow a property, and the part of its value that it keeps.
final class ContextualExtras<Value: ContextualValue> {
  /// A closure that is called with the responder and the new value. The last argument says that the
  /// archived value is a reference that leads to nothing.
  typealias Hearing = (Responder, Value, _ isGone: Bool) -> Void

  var hearings: [Hearing] = []
  /// The function that returns the part of a value to keep; nil if the property keeps none.
  let part: ((Value) -> Value.Early?)?
  /// The part of the last value that was there, or that was archived.
  var lastPart: Value.Early?

  init(_ part: ((Value) -> Value.Early?)? = nil) { self.part = part }
}

import ResponderChain

/// The owner of the records of one tree. Marks call its functions, which ``Engine`` overrides.
class RecordKeeper {
  /// The numbering of the records in the present archive.
  private(set) var numbering: Numbering

  /// Returns the values that were archived of a responder; nil if there are none.
  func values(of mark: Mark) -> RecordValues? { nil }

  /// Returns the reader of one archived value of a responder; nil if there is none.
  func value(_ key: Span<UInt8>, of mark: Mark, _ responder: Responder) -> ValueReader? { nil }

  /// The registered contexts.
  let contexts: ContextTable

  init(_ contexts: ContextTable, _ numbering: Numbering) {
    self.contexts = contexts
    self.numbering = numbering
    numbering.begin(by: self)
  }

  /// Begins another numbering. Marks have no record in it until they are bound again.
  final func begin(_ numbering: Numbering) {
    numbering.begin(by: self)
    self.numbering = numbering
  }

  /// Returns the scope in which a responder's values are read, after forgetting the missing
  /// references of the last value.
  final func scope(of responder: Responder) -> ValueScope {
    contexts.forgetMissing()
    return ValueScope(responder, contexts)
  }

  /// Notes that the next save must write the responder's record again.
  func noteChange(of mark: Mark) {}

  /// Notes that a value could not be read.
  func note(_ error: any Error, key: String, of responder: Responder) {}

  /// Notes that the references of a value led to nothing.
  func note(missing: [String], key: String, of responder: Responder) {}

  /// Returns the reasons for which references of a value led to nothing.
  func missing(key: String, of mark: Mark) -> [String] { [] }

  /// Notes that the path of a responder has changed.
  func pathsDidChange() {}

  /// Notes that a value with the path of another responder was read.
  func notePaths(in responder: Responder, _ mark: Mark) {}

  /// Notes that responders were linked below a responder, unlinked from it, or reordered.
  func ownedDidChange(of responder: Responder, _ mark: Mark) {}

  /// Notes that a responder has a slot more or less, or another kind of slot.
  func slotsDidChange(of responder: Responder, _ mark: Mark) {}

  /// Notes that a responder was linked to a parent.
  func didLink(_ responder: Responder, _ mark: Mark) {}

  /// Notes that a responder was linked to a parent, and that its `didAttach()` has run.
  func didAttach(_ responder: Responder, _ mark: Mark) {}

  /// Notes that a responder has lost its parent.
  func didUnlink(_ responder: Responder) {}
}

import ResponderChain

/// An object that keeps the records of one tree. Marks call its functions, which ``Engine``
/// overrides.
class RecordKeeper {
  /// The numbering of the records in the present archive.
  private(set) var numbering: Numbering

  /// Returns the archived values of a responder; nil if there are none.
  func values(of mark: Mark) -> RecordValues? { nil }

  /// Returns whether a responder's property has an archived value.
  func hasValue(_ property: PropertyCell, of mark: Mark) -> Bool { false }

  /// The crash guard, which tells the next launch in which record this process has crashed.
  final let crashGuard: CrashGuard
  /// The registered contexts.
  let contexts: ContextTable

  /// The source of archived values: the present archive.
  let source: PropertySource

  init(_ contexts: ContextTable, _ numbering: Numbering) {
    self.contexts = contexts
    source = PropertySource(contexts)
    crashGuard = source.crashGuard
    crashGuard.pathHash = { [pathHashes] in pathHashes.hash(of: $0) }
    self.numbering = numbering
    numbering.begin(by: self)
  }

  /// Begins another numbering. Marks have no record in that numbering until they are bound again.
  final func begin(_ numbering: Numbering) {
    self.numbering.end()
    numbering.begin(by: self)
    self.numbering = numbering
  }

  /// The known hashes of the paths of responders. They are forgotten when a path changes.
  final let pathHashes = PathHashes()

  /// Returns the hash of a responder's path for the crash guard; zero if the guard needs none.
  final func guardPath(of responder: Responder) -> UInt64 {
    crashGuard.needsPaths ? pathHashes.hash(of: responder) : 0
  }

  /// Returns the scope in which a responder's values are read. Forgets the missing references that
  /// an earlier read has noted.
  final func scope(of responder: Responder) -> ValueScope {
    contexts.forgetMissing()
    return ValueScope(responder, contexts)
  }

  /// Notes that the state may differ from the last archive.
  func noteUnsaved() {}

  /// Notes that a value could not be read.
  func note(_ error: any Error, key: String, of responder: Responder) {}

  /// Notes the reasons why references in a value led to nothing.
  func note(missing: [String], key: String, of responder: Responder) {}

  /// Returns the reasons why references in a value led to nothing.
  func missing(key: String, of mark: Mark) -> [String] { [] }

  /// Forgets the missing references of a value, because another value was set.
  func forgetMissing(key: String, of mark: Mark) {}

  /// Notes that the path of a responder has changed.
  func pathsDidChange() {}

  /// Notes that responders were linked below a responder, unlinked from it, or reordered.
  func ownedDidChange(of responder: Responder, _ mark: Mark) {}

  /// Notes that a responder has got or lost a slot, or that the kind of a slot has changed.
  func slotsDidChange(of responder: Responder, _ mark: Mark) {}

  /// Notes that a responder has got another value in one of its slots.
  func valueDidChange(_ key: any ContextKey.Type, of responder: Responder, _ mark: Mark) {}

  /// Notes that a responder was linked to a parent.
  func didLink(_ responder: Responder, _ mark: Mark) {}

  /// Notes that a responder was linked to a parent, and that its `didAttach()` has run.
  func didAttach(_ responder: Responder, _ mark: Mark) {}

  /// Notes that a responder was linked to a parent that has no record.
  func didMove(_ responder: Responder, _ mark: Mark) {}

  /// Notes that a responder has lost its parent.
  func didUnlink(_ responder: Responder, _ mark: Mark) {}
}

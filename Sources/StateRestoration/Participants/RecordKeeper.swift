import ResponderChain

/// An object that keeps the records of one tree. Marks call its functions, which ``Keeper``
/// overrides.
class RecordKeeper {
  /// The registered contexts.
  final let contexts: ContextTable
  /// The crash guard, which tells the next launch in which record this process has crashed.
  final let crashGuard: StrikePage
  /// The home of all records that are not forgotten.
  private var present: RecordHome?

  init(_ contexts: ContextTable, _ crashGuard: StrikePage) {
    self.contexts = contexts
    self.crashGuard = crashGuard
  }

  /// The home of all records that are not forgotten.
  final var home: RecordHome {
    if let present { return present }
    let made = RecordHome(self)
    present = made
    return made
  }

  /// Forgets all records, including those of responders outside the tree.
  final func forgetHome() {
    present?.end()
    present = nil
  }

  /// Returns the place by which the crash guard names a record.
  func place(of record: Record) -> StrikePlace { record.place }

  /// Notes that a property has read its archived value, while a record has strikes.
  func didReadWithStrikes(_ record: Record) {}

  /// Returns the ordinal of a responder directly below another one: the number of earlier siblings
  /// with the same identifier in the archive that is being written.
  func ordinal(of child: Responder, below parent: Responder) -> Int? { nil }

  /// Notes that the state may differ from the last archive.
  func noteUnsaved() {}

  /// Notes that a value could not be read.
  func note(_ error: any Error, key: String, of responder: Responder) {}

  /// Notes the reasons why references in a value led to nothing.
  func note(missing: [String], key: String, of responder: Responder) {}

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

  /// Notes that a responder was linked to a parent that has no record, or has lost its parent.
  func didLeave(_ responder: Responder, _ mark: Mark) {}
}

import ResponderChain

/// The attachment of a responder that takes part in restoration. It has the responder's identifier
/// and its record.
class Mark: PropertyHolder {
  /// The restoration identifier; empty for the application.
  private(set) var identifier: String
  // Exclusivity is unchecked for speed (`save` and `restore`): each access is a copy or an
  // assignment.

  /// The responder's record; nil if it has none.
  @exclusivity(unchecked) @safe final var record: Record?
  /// The index, plus one, of the responder's kind: the kind that made it, or the kind that a save
  /// has looked up for it. Zero if there is no such kind.
  @exclusivity(unchecked) @safe final private(set) var kind: UInt16 = 0
  /// Whether a save has looked up the ``kind``, perhaps by the identifier. So a change of the
  /// identifier removes it.
  @exclusivity(unchecked) @safe final private var isKindFound = false
  /// Whether the responder's record was decoded. A value that is set before the record is decoded
  /// is only a default; a value that is set later is an edit.
  @exclusivity(unchecked) @safe final var isDecoded = false
  /// Whether a value of the responder has changed since its record was written.
  @exclusivity(unchecked) @safe final var isChanged = false
  /// Whether the last save could not write the record completely, so that the next save tries
  /// again. This alone begins no save.
  @exclusivity(unchecked) @safe final var needsRetry = false
  /// Whether a part of the record has changed since it was written; see ``RecordPart``.
  @exclusivity(unchecked) @safe final var isPartChanged = false
  /// Whether saves copy the archived record without changes, because this launch does not restore
  /// it.
  @exclusivity(unchecked) @safe final var isKept = false

  init(_ identifier: String, _ properties: PropertyList = PropertyList(), kind: String? = nil) {
    self.identifier = identifier
    super.init(properties)
    kindName = kind
  }

  /// The object that keeps the records of the tree; nil if the responder has no record.
  final var keeper: RecordKeeper? { record?.home.keeper }

  /// Whether the next save writes the record again, and does not copy the archived one.
  final var needsWriting: Bool { isChanged || needsRetry }

  /// Notes the kind that made the responder, given by its index plus one.
  final func setKind(ofFactory kind: UInt16) {
    self.kind = kind
    isKindFound = false
  }

  /// Notes the kind that a save has looked up, given by its index plus one, for the next saves. A
  /// ``Responder/restorationKind`` is not noted, because it may become nil.
  final func setLookedUpKind(_ kind: UInt16) {
    guard kindName == nil, kind != self.kind else { return }
    self.kind = kind
    isKindFound = true
  }

  /// Begins anew with a record that has no values, and returns it. References still lead to the
  /// responder, and defaults that were remembered stay so.
  @discardableResult
  final func begin(in home: RecordHome) -> Record {
    let id = record?.home === home ? record?.id : nil
    let new = Record(home, id: id ?? (self is RootMark ? .application : .none))
    new.defaults = record?.defaults ?? []
    record = new
    return new
  }

  /// Takes the record of another archive. Properties get their defaults back, which values of that
  /// archive replace.
  final func restore(_ record: Record) {
    let defaults = self.record?.defaults ?? []
    self.record = record
    for giveBack in defaults { giveBack() }
  }

  /// Returns the responder's record; nil if it has none, or if the record belongs elsewhere, was
  /// forgotten or is removed.
  final func record(in home: RecordHome) -> Record? {
    guard let record, record.home === home, record.state != .gone else { return nil }
    return record
  }

  /// Replaces the identifier. A kind that a save has looked up is lost.
  final func rename(_ identifier: String) {
    self.identifier = identifier
    if isKindFound { setKind(ofFactory: 0) }
    keeper?.noteUnsaved()
  }

  /// Notes that a value of the responder or object has changed.
  final func noteChange() {
    guard !isChanged, let keeper else { return }
    isChanged = true
    keeper.noteUnsaved()
  }

  /// Notes that a part of the record may have changed.
  fileprivate final func notePartChange() {
    isPartChanged = true
    keeper?.noteUnsaved()
  }

  override func ownerWillEnd() {
    record?.defaults = []
    super.ownerWillEnd()
  }

  override func ownedDidChange(of responder: Responder) { keeper?.noteUnsaved() }

  override func didLink(_ responder: Responder) {
    (responder.nextResponder?.mark?.keeper ?? keeper)?.linkDidChange(of: responder)
  }

  override func didAttach(_ responder: Responder) {
    responder.nextResponder?.mark?.keeper?.didAttach(responder, self)
  }

  override func didUnlink(_ responder: Responder) { keeper?.linkDidChange(of: responder) }

  override func slotsDidChange(of responder: Responder) {
    // A part is that of a branch, which may be gone.
    if record?.parts.isEmpty == false { isPartChanged = true }
    keeper(of: responder)?.slotsDidChange(of: responder)
  }

  override func keptChangesDidChange(of responder: Responder) { notePartChange() }

  override func hasWaitingChanges(_ key: any ContextKey.Type) -> Bool {
    guard let record, let name = keeper?.contexts.name(of: key) else { return false }
    return record.parts.contains {
      $0.name == name && ($0.state == .waiting || $0.state == .held) && !$0.bytes.isEmpty
    }
  }

  override func dropWaitingChanges(_ key: any ContextKey.Type) {
    guard let record, let name = keeper?.contexts.name(of: key) else { return }
    record.parts.removeAll { $0.name == name && $0.state != .present }
    notePartChange()
  }

  override func valueDidChange(_ key: any ContextKey.Type, of responder: Responder) {
    // The new value may be a child of the inherited context, or the old one may have been.
    guard let keeper = keeper(of: responder) else { return }
    if keeper.contexts.isRegistered(key) { keeper.slotsDidChange(of: responder) }
  }

  /// Returns the object that keeps the records of the tree. A responder below may wait for a context
  /// of this responder, even if this responder has no record yet.
  private func keeper(of responder: Responder) -> RecordKeeper? {
    keeper ?? (responder.application?.mark as? RootMark)?.keeperOfTree
  }
}

/// The mark of an application. It retains the object that keeps the records of the tree.
final class RootMark: Mark {
  let keeperOfTree: RecordKeeper
  /// Whether the archived first responder is being made the first.
  var isRestoringFirst = false
  /// The first responder at its last change.
  private weak var first: Responder?

  init(_ keeper: RecordKeeper, of application: Application) {
    keeperOfTree = keeper
    first = application.firstResponder
    super.init("", application.properties)
  }

  override func slotsDidChange(of responder: Responder) {
    super.slotsDidChange(of: responder)
    firstMayHaveChanged(responder)
  }

  override func valueDidChange(_ key: any ContextKey.Type, of responder: Responder) {
    super.valueDidChange(key, of: responder)
    firstMayHaveChanged(responder)
  }

  /// Notes another first responder. If the program has set it after the launch, an archived one that is
  /// not there yet is forgotten.
  private func firstMayHaveChanged(_ responder: Responder) {
    let present = (responder as? Application)?.firstResponder
    guard present !== first else { return }
    first = present
    notePartChange()
    guard !isRestoringFirst, !keeperOfTree.isRestoring, present != nil else { return }
    record?.parts.removeAll { $0.name == FirstResponderPart.partName && $0.state == .waiting }
  }
}

extension Responder {
  /// The mark of the responder; nil if it takes no part in restoration.
  final var mark: Mark? { attachment as? Mark }

  /// The restorable properties that were used so far.
  final var properties: PropertyList {
    (attachment as? PropertyHolder)?.properties ?? PropertyList()
  }

  /// Adds a property to the properties that are archived when the responder takes part in
  /// restoration.
  final func keep(_ cell: PropertyCell, of type: Any.Type) {
    let holder = attachment as? PropertyHolder ?? PropertyHolder()
    holder.properties.insert(cell, of: type)
    attachment = holder
  }
}

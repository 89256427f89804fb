import ResponderChain

/// The attachment of a responder that takes part in restoration.
class Mark: PropertyHolder {
  /// The restoration identifier; empty for the application.
  private(set) var identifier: String
  /// The responder; nil until something of it has changed. A save finds changed responders by it.
  private(set) weak var responder: Responder?
  /// The numbering to which the record's number belongs; nil if the responder has no record.
  private(set) var numbering: Numbering?
  /// The number of the responder's record in that numbering.
  private(set) var record: UInt32 = 0
  /// The index, plus one, of the kind that made the responder, or by which a save has written it.
  /// Zero if there is no such kind.
  private(set) var kind: UInt16 = 0
  private var flags = MarkFlags()

  init(_ identifier: String, _ properties: PropertyList = PropertyList()) {
    self.identifier = identifier
    super.init(properties)
  }

  /// The owner of the tree's records; nil if the responder has no record.
  final var keeper: RecordKeeper? { numbering?.keeper }

  /// The ``Responder/restorationKind`` that code has set; nil if it has set none.
  var kindName: String? { nil }

  /// Whether the responder's record was decoded. A set of a property is an edit from then on.
  var isDecoded: Bool {
    get { flags.contains(.decoded) }
    set { flags.set(.decoded, newValue) }
  }

  /// Whether the next save writes the record again.
  var isChanged: Bool {
    get { flags.contains(.changed) }
    set { flags.set(.changed, newValue) }
  }

  /// Whether the next save writes the list of the records below again.
  var isOwnedChanged: Bool {
    get { flags.contains(.ownedChanged) }
    set { flags.set(.ownedChanged, newValue) }
  }

  /// Whether saves copy the archived record without changes, because ``Restoration/ask`` has
  /// declined it in this launch.
  var isKept: Bool {
    get { flags.contains(.kept) }
    set { flags.set(.kept, newValue) }
  }

  /// Whether the record depends on other parts of the tree, as a save or a read has found. It may
  /// have the path of another responder, or a value in a slot that may be a child of the context
  /// inherited there. Both may change without a change of this responder, so saves write the record
  /// again.
  final var hasPaths: Bool {
    get { flags.contains(.paths) }
    set { flags.set(.paths, newValue) }
  }

  /// Whether a save has found the kind. It may depend on the identifier, so it is looked for again
  /// after a change of that.
  private var isKindFound: Bool {
    get { flags.contains(.kindFound) }
    set { flags.set(.kindFound, newValue) }
  }

  /// Notes the kind that made the responder, as its index plus one.
  final func make(by kind: UInt16) {
    self.kind = kind
    isKindFound = false
  }

  /// Notes the kind, as its index plus one, with which a save writes the responder. The next save
  /// then need not look for it. A kind that code has named is not noted, because code may take the
  /// name back.
  final func find(_ kind: UInt16, by keeper: RecordKeeper) {
    if kindName != nil {
      if self.keeper !== keeper { make(by: 0) }
    } else if kind != self.kind {
      self.kind = kind
      isKindFound = true
    }
  }

  /// Gives the responder a record of the keeper's present archive.
  final func bind(to keeper: RecordKeeper, record: UInt32) {
    self.record = record
    numbering = keeper.numbering
  }

  /// Gives the responder the record of the mark that this one replaces.
  final func takeRecord(of other: Mark) {
    record = other.record
    numbering = other.numbering
    isDecoded = other.isDecoded
    if !other.isKindFound { kind = other.kind }
  }

  /// Takes the record from the responder.
  final func unbind() { numbering = nil }

  /// Returns whether the record is one of the keeper's present archive.
  final func isBound(to keeper: RecordKeeper) -> Bool { numbering === keeper.numbering }

  /// Replaces the identifier. The responder keeps its record and values. It also keeps its kind,
  /// unless a save has found that.
  final func rename(_ identifier: String, of responder: Responder) {
    self.identifier = identifier
    if isKindFound { make(by: 0) }
    noteChange(of: responder)
    keeper?.pathsDidChange()
  }

  /// Notes that the next save must write the record again, without telling the keeper.
  final func keepChanged(_ responder: Responder) {
    self.responder = responder
    isChanged = true
  }

  /// Notes that the record depends on other parts of the tree; see ``hasPaths``.
  ///
  /// - Returns: whether that was not noted before.
  final func notePaths(in responder: Responder) -> Bool {
    guard !hasPaths else { return false }
    self.responder = responder
    hasPaths = true
    return true
  }

  /// Notes that a value of the responder was changed.
  func noteChange(of responder: Responder) {
    guard !isChanged, let keeper else { return }
    self.responder = responder
    if !isOwnedChanged { keeper.noteChange(of: self) }
    isChanged = true
  }

  override func ownedDidChange(of responder: Responder) {
    guard let keeper else { return }
    self.responder = responder
    if !isOwnedChanged {
      if !isChanged { keeper.noteChange(of: self) }
      isOwnedChanged = true
    }
    keeper.ownedDidChange(of: responder, self)
  }

  override func didLink(_ responder: Responder) {
    guard let keeper = responder.nextResponder?.mark?.keeper else {
      // The parent has no record, but the responder's role may have changed. So its own record, if
      // there is one, is written again.
      return noteChange(of: responder)
    }
    keeper.didLink(responder, self)
  }

  override func didAttach(_ responder: Responder) {
    let parent = responder.nextResponder?.mark
    parent?.keeper?.didAttach(responder, self)
  }

  override func didUnlink(_ responder: Responder) { keeper?.didUnlink(responder) }

  override func slotsDidChange(of responder: Responder) {
    keeper?.slotsDidChange(of: responder, self)
  }

  private struct MarkFlags: OptionSet {
    let rawValue: UInt16
    static let decoded = MarkFlags(rawValue: 1)
    static let changed = MarkFlags(rawValue: 2)
    static let ownedChanged = MarkFlags(rawValue: 4)
    static let kept = MarkFlags(rawValue: 8)
    static let paths = MarkFlags(rawValue: 16)
    static let kindFound = MarkFlags(rawValue: 32)

    mutating func set(_ flag: MarkFlags, _ on: Bool) {
      if on { insert(flag) } else { remove(flag) }
    }
  }
}

/// The mark of a responder for which code has set ``Responder/restorationKind``.
final class KindMark: Mark {
  private let chosenKind: String

  init(_ identifier: String, kind: String, _ properties: PropertyList) {
    chosenKind = kind
    super.init(identifier, properties)
  }

  override var kindName: String? { chosenKind }
}

/// The mark of an application. It retains the owner of the tree's records.
final class RootMark: Mark {
  let keeperOfTree: RecordKeeper

  init(_ keeper: RecordKeeper) {
    keeperOfTree = keeper
    super.init("")
  }
}

extension Responder {
  /// The mark of a responder; nil unless it takes part in restoration.
  final var mark: Mark? { attachment as? Mark }

  /// The restorable properties that were used.
  final var properties: PropertyList {
    (attachment as? PropertyHolder)?.properties ?? PropertyList()
  }

  /// Adds a property to those that are archived once the responder takes part.
  final func keep(_ cell: PropertyCell, of type: Any.Type) {
    let holder = attachment as? PropertyHolder ?? PropertyHolder()
    holder.properties.insert(cell, of: type)
    attachment = holder
  }
}

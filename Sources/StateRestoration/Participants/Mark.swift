import ResponderChain

/// The attachment of a responder that takes part in restoration.
class Mark: PropertyHolder {
  /// The restoration identifier; empty for the application.
  let identifier: String
  /// The responder, once it was changed, so that a save finds it.
  private(set) weak var responder: Responder?
  /// The owner of the tree's records, once the responder was seen by a save or a restoration.
  private(set) weak var keeper: RecordKeeper?
  /// The number of the responder's record.
  private(set) var record: UInt32 = 0
  /// The numbering of which the number is; zero if the responder has no record.
  private var numbering: UInt64 = 0
  /// The index of the kind that made the responder, or that it was given, plus one.
  var kind: UInt16 = 0
  private var flags = MarkFlags()

  init(_ identifier: String, _ properties: PropertyList = PropertyList()) {
    self.identifier = identifier
    super.init(properties)
  }

  /// The name of the kind, if code has named it.
  var kindName: String? { nil }

  /// Whether restoration has decoded the responder's record, so that a set is an edit from now on.
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

  /// Whether saves keep the record as it is, because it was not wanted in this launch.
  var isKept: Bool {
    get { flags.contains(.kept) }
    set { flags.set(.kept, newValue) }
  }

  /// Gives the responder a record.
  func bind(to keeper: RecordKeeper, record: UInt32) {
    self.keeper = keeper
    self.record = record
    numbering = keeper.numbering
  }

  /// Takes the record from the responder.
  func unbind() {
    keeper = nil
    numbering = 0
  }

  /// Returns whether the record is of this keeper.
  func isBound(to keeper: RecordKeeper) -> Bool { numbering == keeper.numbering }

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
    let parent = responder.nextResponder?.mark
    parent?.keeper?.didLink(responder, self)
  }

  override func slotsDidChange(of responder: Responder) {
    keeper?.slotsDidChange(of: responder, self)
  }

  private struct MarkFlags: OptionSet {
    let rawValue: UInt16
    static let decoded = MarkFlags(rawValue: 1)
    static let changed = MarkFlags(rawValue: 2)
    static let ownedChanged = MarkFlags(rawValue: 4)
    static let kept = MarkFlags(rawValue: 8)

    mutating func set(_ flag: MarkFlags, _ on: Bool) {
      if on { insert(flag) } else { remove(flag) }
    }
  }
}

/// A mark of which code has named the kind.
final class KindMark: Mark {
  private let chosenKind: String

  init(_ identifier: String, kind: String, _ properties: PropertyList) {
    chosenKind = kind
    super.init(identifier, properties)
  }

  override var kindName: String? { chosenKind }
}

/// The mark of an application, which keeps the restoration of its tree.
final class RootMark: Mark {
  let keeperOfTree: RecordKeeper

  init(_ keeper: RecordKeeper) {
    keeperOfTree = keeper
    super.init("")
  }
}

extension Responder {
  /// The mark of a responder that takes part.
  final var mark: Mark? { attachment as? Mark }

  /// The properties that were used.
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

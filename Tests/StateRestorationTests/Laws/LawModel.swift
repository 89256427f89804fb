import ResponderChain

/// The kind of a responder's slot for the notebook, as archives record it.
enum LawSlot: Equatable { case none, follow, keep, block, handed, value }

/// A record of an archive, as the oracle expects it.
final class LawRecord {
  var identifier = ""
  var role = Responder.Role.child
  var kind = ""
  var version = 1
  var slot = LawSlot.none
  /// The saved values; nil if the responder could never be encoded.
  var state: LawState?
  var children: [LawRecord] = []
  /// Whether the oracle knows the order of the children.
  var isOrdered = true
  /// Whether another responder had the record's place when the record was carried.
  var isDisplaced = false

  /// The number of records in this subtree, including this one.
  var count: Int { children.reduce(1) { $0 + $1.count } }

  /// Returns a copy of the record, as a save carries it for a later launch.
  func kept(isDisplaced: Bool) -> LawRecord {
    let copy = LawRecord()
    (copy.identifier, copy.role, copy.kind, copy.version) = (identifier, role, kind, version)
    (copy.slot, copy.state, copy.children, copy.isOrdered) = (slot, state, children, isOrdered)
    copy.isDisplaced = isDisplaced
    return copy
  }
}

/// A responder, as the oracle expects it.
final class LawModel {
  /// A carried record. It comes after the responder `behind`; nil means that it comes first.
  struct Carried {
    let record: LawRecord
    let behind: LawModel?
    /// Whether another responder has the record's place.
    var isDisplaced = false
    var kept: LawRecord { record.kept(isDisplaced: isDisplaced) }
  }

  var real: Responder?
  let lawClass: LawClass?
  var identifier: String?
  var role = Responder.Role.child
  weak var parent: LawModel?
  var owned: [LawModel] = []
  var carried: [Carried] = []
  var isOrdered = true
  var state = LawState()
  /// The names of the properties that were neither read nor set since the restoration.
  var unread: Set<String> = []
  /// The values before the restoration. A property gets this value back if its archived value is
  /// lost before it is read.
  var base = LawState()
  var heldPage: Int?
  var heldMark: Int?
  /// The pages of the bookmarks that wait for the notebook.
  var heldPlace: Int?
  var heldSpot: Int?
  /// The kind that the program has set; nil if it has set none.
  var namedKind: String?
  /// The registered kind with which the responder was restored; nil if there is none.
  var madeKind: String?
  var fails = false
  /// The values that the last save has stored. Before the first save, they are the values of the
  /// launch; nil if there are none.
  var saved: LawState?
  /// The kind that the last save has stored. Before the first save, it is the kind of the launch.
  var savedKind = ""
  var isRestored = false
  var wasMade = false
  var finishes: Int? = 0
  /// The expected slot; nil if the program has changed it since the launch.
  var slot: LawSlot?

  init(_ lawClass: LawClass?) { self.lawClass = lawClass }

  var node: (any LawNode)? { real as? any LawNode }
  var isWaiting: Bool {
    heldPage != nil || heldMark != nil || heldPlace != nil || heldSpot != nil
  }
  var children: [LawModel] { owned.filter { $0.role == .child } }

  /// The responder and all below it, parents first.
  var all: [LawModel] {
    var found = [self]
    var index = 0
    while index < found.count {
      found += found[index].owned
      index += 1
    }
    return found
  }

  /// Whether the responder is in the application's tree, and it and all its ancestors have
  /// identifiers. The application needs none.
  var takesPart: Bool {
    var node = self
    while let parent = node.parent {
      if node.identifier == nil { return false }
      node = parent
    }
    return node.lawClass == nil
  }

  /// Adds a responder in a role. The index is used only for a child, and counts only children.
  func add(_ model: LawModel, as role: Responder.Role, at index: Int? = nil) {
    model.parent = self
    model.role = role
    let first = owned.firstIndex { $0.role != .rootView } ?? owned.count
    let last = owned.firstIndex { $0.role == .presented } ?? owned.count
    switch role {
    case .rootView: owned.insert(model, at: 0)
    case .presented: owned.append(model)
    case .child: owned.insert(model, at: index.map { first + $0 } ?? last)
    }
  }

  /// Removes the responder from its parent.
  func remove() {
    guard let parent else { return }
    parent.owned.removeAll { $0 === self }
    if parent.carried.contains(where: { $0.behind === self }) { parent.isOrdered = false }
    self.parent = nil
    role = .child
  }
}

/// The kinds that the app registers in one launch.
struct LawRegistry {
  /// The name of the first kind, which a later version renames; nil if this kind is missing.
  var name: String? = "A"
  var version = 1
  var hasClasses = true
  var hasPane = true
  var hasWaiting = true
  /// Whether the kind "U" is registered. It is often missing.
  var hasRare = true
  /// The identifier of the records that the first kind vetoes; nil if it vetoes none.
  var vetoed: String?
  /// The identifier of the records for which the first kind throws; nil if it never throws.
  var throwing: String?
  /// Whether the app makes responders for records whose kind is not registered.
  var makesUnknown = false

  /// The result of the restoration for one record.
  enum Fate: Equatable {
    case vetoed, carried, existing, made(LawClass)
  }

  /// Returns the registered name for the archived kind of a record; nil if there is none.
  func kind(_ archived: String) -> String? {
    switch archived {
    case "A": name
    case "A2": name == "A2" ? name : nil
    case "N", "B": hasClasses ? archived : nil
    case "pane": hasPane ? archived : nil
    case "W": hasWaiting ? archived : nil
    case "U": hasRare ? archived : nil
    case "c": archived
    default: nil
    }
  }

  /// Returns the kind with which a responder is saved.
  func kind(of model: LawModel) -> String {
    if let named = model.namedKind { return named }
    if let made = model.madeKind { return made }
    if model.identifier == "c" { return "c" }
    switch model.lawClass {
    case .screen: return hasClasses ? "N" : ""
    case .detail: return hasClasses ? "B" : ""
    case .pane: return hasPane ? "pane" : ""
    case nil: return ""
    }
  }

  /// Returns the version with which a responder of a kind is saved.
  func version(of kind: String) -> Int { kind == name ? version : 1 }

  /// Returns the expected result for a record. `existing` is the responder at the record's place;
  /// nil if there is none.
  func fate(_ record: LawRecord, existing: LawModel?) -> Fate {
    guard let kind = kind(record.kind) else {
      if makesUnknown {
        return existing != nil
          ? .existing : .made(record.identifier.hasPrefix("v") ? .pane : .screen)
      }
      return existing != nil ? .existing : .carried
    }
    if record.version > version(of: kind) { return .carried }
    if kind == name {
      if record.identifier == vetoed { return .vetoed }
      if record.identifier == throwing { return .carried }
    }
    if let existing {
      let isRight =
        switch kind {
        case "B": existing.lawClass == .detail
        case "N": existing.lawClass == .screen || existing.lawClass == .detail
        case "pane": existing.lawClass == .pane
        default: true
        }
      return isRight ? .existing : .carried
    }
    switch kind {
    case "W": return .carried
    case "B": return .made(.detail)
    case "pane": return .made(.pane)
    default: return .made(.screen)
    }
  }
}

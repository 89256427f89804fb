import ResponderChain

/// A slot for the notebook, as archives know it.
enum LawSlot: Equatable { case none, follow, keep, block, handed, value }

/// One record, as the oracle knows it.
final class LawRecord {
  var identifier = ""
  var role = Responder.Role.child
  var kind = ""
  var version = 1
  var slot = LawSlot.none
  /// The values; nil if the responder could never be encoded.
  var state: LawState?
  var children: [LawRecord] = []
  /// Whether the oracle knows in which order the records below are.
  var isOrdered = true

  /// The number of records, with this one.
  var count: Int { children.reduce(1) { $0 + $1.count } }
}

/// One responder, as the oracle knows it.
final class LawModel {
  /// A record that no responder has, and the responder that it comes behind.
  struct Carried {
    let record: LawRecord
    let behind: LawModel?
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
  /// The properties that were not read or set since the responder was restored.
  var unread: Set<String> = []
  /// The values of unread properties that do not come from the archive.
  var base = LawState()
  var heldPage: Int?
  var heldMark: Int?
  /// The kind that code has named.
  var namedKind: String?
  /// The kind by which the responder was restored.
  var madeKind: String?
  var fails = false
  /// The values of the last save or of the launch; nil if there are none.
  var saved: LawState?
  /// The kind of the last save or of the launch.
  var savedKind = ""
  var isRestored = false
  var wasMade = false
  var finishes: Int? = 0
  /// The slot that the oracle expects; nil if code has changed slots since the launch.
  var slot: LawSlot?

  init(_ lawClass: LawClass?) { self.lawClass = lawClass }

  var node: (any LawNode)? { real as? any LawNode }
  var isWaiting: Bool { heldPage != nil || heldMark != nil }
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

  /// Whether the responder and all above it have identifiers.
  var takesPart: Bool {
    var node = self
    while let parent = node.parent {
      if node.identifier == nil { return false }
      node = parent
    }
    return node.lawClass == nil
  }

  /// Adds a responder at an index among those of its role.
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

/// The kinds of one launch.
struct LawRegistry {
  /// The name of the kind that may be renamed; nil if it is missing.
  var name: String? = "A"
  var version = 1
  var hasClasses = true
  var hasPane = true
  var hasWaiting = true
  /// Whether there is a kind that is often missing.
  var hasRare = true
  /// The identifier for which the first kind returns nil.
  var vetoed: String?
  /// The identifier for which the first kind throws.
  var throwing: String?
  /// Whether the application makes what no kind makes.
  var makesUnknown = false

  /// The fate of a record.
  enum Fate: Equatable {
    case vetoed, carried, existing, made(LawClass)
  }

  /// Returns the registered name of a record's kind; nil if there is none.
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

  /// Returns what becomes of a record.
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

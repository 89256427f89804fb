/// A property of the random programs. All values are whole numbers.
enum Prop: String, CaseIterable, Comparable {
  case a, b
  /// The property with `onConflict: .mine`.
  case mine
  /// The property with `inState: false`.
  case secret
  /// The reference: the number of a box, or -1.
  case box

  static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

typealias Row = [Prop: Int]

/// A conflict that a save throws: the object's number and the properties.
struct Clash: Hashable, CustomStringConvertible {
  var object: Int
  var props: Set<String>
  var isDeletedHere = false
  var description: String { "\(object)\(props.sorted())\(isDeletedHere ? " deleted here" : "")" }
}

enum Outcome: Equatable {
  case saved
  case clashes(Set<Clash>)
  /// The save throws `dangling`.
  case dangling
}

/// A slow model of the article *Unfinished edits* and of the laws of an edit.
///
/// Layer 0 is the root, and the others are nested branches. Objects are numbers. Those below
/// `boxes` are boxes, of which only the property `a` exists.
struct EditModel {
  enum Policy { case error, mine, theirs }
  static let boxes = 6
  static let initial: Row = [.a: 0, .b: 0, .mine: 0, .secret: 0, .box: -1]

  struct Edit: Equatable {
    var value: Int, base: Int, isContested = false
  }

  struct Change: Equatable {
    enum Kind { case updated, inserted, deleted }
    var kind: Kind
    var edits: [Prop: Edit] = [:]
    /// The values of a new object; the checked values of a deleted one; the values that an edited
    /// one has shown last.
    var row: Row
    /// The properties that were changed above, although the object is deleted here.
    var changedAbove: Set<Prop> = []
    /// Whether the object was edited, and is deleted above.
    var isOrphan = false
    /// Whether the values of unarchived properties are unknown.
    var isRestored = false
  }

  struct Layer: Equatable {
    var changes: [Int: Change] = [:]
    /// The id by which receipts name the branch, and the number of its saves.
    var token: Int, saves = 0
    /// The tokens of the branches whose edits were saved into this context, with their saves.
    var carried: [Int: Int] = [:]
  }

  var rows: [Int: Row] = [:]
  /// The rows as the root has read them.
  var snapshot: [Int: Row] = [:]
  var layers: [Layer]
  /// The greatest number of saves that the store has, of each token.
  var receipts: [Int: Int] = [:]
  /// The state on the disk.
  var archived: [Layer] = []
  var tokens = 0
  let isRootKept: Bool

  init(layers count: Int, isRootKept: Bool) {
    self.isRootKept = isRootKept
    layers = (0..<count).map { Layer(token: $0) }
    tokens = count
    archived = layers
  }

  mutating func newToken() -> Int {
    tokens += 1
    return tokens
  }

  // MARK: Reading

  func shown(_ layer: Int, _ object: Int) -> Row? {
    guard layer >= 0 else { return snapshot[object] }
    let above = shown(layer - 1, object)
    guard let change = layers[layer].changes[object] else { return above }
    switch change.kind {
    case .inserted: return change.row
    case .deleted: return nil
    case .updated:
      var row = above ?? change.row
      for (prop, edit) in change.edits { row[prop] = edit.value }
      return row
    }
  }

  var objects: Set<Int> {
    layers.reduce(into: Set(snapshot.keys)) { $0.formUnion($1.changes.keys) }
  }

  // MARK: Editing

  mutating func set(_ layer: Int, _ object: Int, _ prop: Prop, _ value: Int) {
    let above = shown(layer - 1, object)
    var change = layers[layer].changes[object] ?? Change(kind: .updated, row: above ?? [:])
    if change.kind == .inserted {
      change.row[prop] = value
    } else {
      var edit = change.edits[prop] ?? Edit(value: value, base: (above ?? change.row)[prop].sure)
      edit.value = value
      change.edits[prop] = edit.value == edit.base && !edit.isContested ? nil : edit
    }
    layers[layer].changes[object] = change
    settle()
  }

  mutating func insert(_ layer: Int, _ object: Int, _ row: Row) {
    layers[layer].changes[object] = Change(kind: .inserted, row: row)
    settle()
  }

  mutating func delete(_ layer: Int, _ object: Int) {
    if object < Self.boxes {
      for item in objects where shown(layer, item)?[.box] == object { remove(layer, item) }
    }
    remove(layer, object)
    settle()
  }

  /// Returns whether a deeper layer has deleted the object, or one that would be deleted with it.
  func isDeletedBelow(_ layer: Int, _ object: Int) -> Bool {
    let gone = objects.filter {
      $0 == object || (object < Self.boxes && shown(layer, $0)?[.box] == object)
    }
    return layers[(layer + 1)...].contains { below in
      gone.contains { below.changes[$0]?.kind == .deleted }
    }
  }

  mutating func remove(_ layer: Int, _ object: Int) {
    if layers[layer].changes[object]?.kind != .inserted, let above = shown(layer - 1, object) {
      layers[layer].changes[object] = Change(kind: .deleted, row: above)
    } else {
      layers[layer].changes[object] = nil
    }
  }

  mutating func discard(_ layer: Int) {
    layers[layer].changes = [:]
    layers[layer].carried = [:]
    settle()
  }

  mutating func merge() {
    snapshot = rows
    settle()
  }

  /// Lets each layer learn what is above it, from the top to the bottom.
  mutating func settle() {
    for layer in layers.indices {
      for (object, change) in layers[layer].changes {
        layers[layer].changes[object] = settled(change, above: shown(layer - 1, object))
      }
    }
  }

  func settled(_ old: Change, above: Row?) -> Change? {
    var change = old
    switch change.kind {
    case .inserted: break
    case .deleted:
      guard let above else { return nil }
      for (prop, value) in above where prop != .mine && change.row[prop] != value {
        change.changedAbove.insert(prop)
      }
    case .updated:
      if let above {
        change.isOrphan = false
        for (prop, var edit) in change.edits {
          if prop == .mine {
            edit.base = above[prop].sure
          } else if edit.base != above[prop].sure {
            edit.isContested = true
          }
          change.edits[prop] = edit.value == edit.base && !edit.isContested ? nil : edit
        }
        change.row = above
      } else {
        if !change.edits.keys.contains(where: { $0 != .mine }) { return nil }
        change.isOrphan = true
        for prop in change.edits.keys where prop != .mine {
          change.edits[prop].sure.isContested = true
        }
      }
      if change.edits.isEmpty { return nil }
    }
    return change
  }
}

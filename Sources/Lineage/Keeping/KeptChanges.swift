import Foundation
import LineageFiles
package import ObjectGraph

/// The unsaved changes of one context, as the record of its responder has them.
///
/// ```text
/// changes  = version:u8 id:u128 count:i64 store:text length entity*
/// entity   = name:text length column:text* object* 0:i64
/// object   = key:i64 change:u8 value* property* 0
/// property = place:length flags:u8 base [origin]     place: from 1; origin: if it is contested
/// ```
///
/// Properties with `inState: false` are left out.
package struct KeptChanges {
  private static let version: UInt8 = 1
  /// The number of bytes before the store's id. They differ for two contexts with equal changes.
  static let headSize = 25
  /// The greatest number of bytes of a value that is kept although it is not edited.
  private static let largeSize = 1_024

  let storeID: String
  /// The id of the context in receipts, and the number of its saves.
  let id: UUID
  let count: Int64
  var edits: [KeptEdit] = []
  /// The differences between the archived schema and the present one, as sentences.
  private(set) var notes: [String] = []

  /// Copies the unsaved changes of a context; nil if there are none, or if they are not kept.
  package init?(of context: ObjectContext) {
    guard context.hasUnsavedChanges, let (id, count) = context.keeping else { return nil }
    (storeID, self.id, self.count) = (context.storeID, id, count)
    edits = context.keptEdits
    if edits.isEmpty { return nil }
  }

  /// Returns changes that could not be replayed. They have an id of their own, because a later save of
  /// the context says nothing of them.
  func rest(_ edits: [KeptEdit]) -> KeptChanges {
    var rest = KeptChanges(storeID: storeID, id: UUID(), count: 0)
    rest.edits = edits
    return rest
  }

  /// Returns the changes as bytes.
  ///
  /// - Throws: A ``StateError`` that names the object if a value cannot be archived, because no store
  ///   could keep it.
  package func bytes(in model: Model) throws -> [UInt8] {
    var buffer = ByteBuffer(capacity: 1_024)
    let arena = CellArena(capacity: 1_024)
    buffer.append(Self.version)
    buffer.append(unsafe unsafeBitCast(id.uuid, to: UInt128.self))
    buffer.append(count)
    buffer.append(storeID)
    let groups = Dictionary(grouping: edits, by: \.entity).sorted { $0.key < $1.key }
    buffer.append(length: groups.count)
    for (entity, edits) in groups {
      let layout = model.layouts[entity]
      let columns = layout.columns.indices.filter { layout.columns[$0].isInState }
      buffer.append(layout.name)
      buffer.append(length: columns.count)
      for column in columns { buffer.append(layout.columns[column].name) }
      for edit in edits {
        do {
          try Self.append(edit, columns, to: &buffer, arena)
        } catch let fault as ColumnFault {
          throw StateError(.unstorable("A value of \(layout.name)/\(edit.key) \(fault.message)."))
        }
        arena.reset()
      }
      buffer.append(0 as Int64)
    }
    return buffer.bytes(from: 0)
  }

  private static func append(
    _ edit: KeptEdit, _ columns: [Int], to buffer: inout ByteBuffer, _ arena: CellArena
  ) throws {
    buffer.append(edit.key)
    buffer.append(edit.change.rawValue)
    for column in columns {
      let cell = try edit.value.cell(of: column, in: arena)
      // A large value that is not edited would only be needed if others have deleted the object.
      let isNeeded = edit.change != .updated || edit.edited.contains(column) || !isLarge(cell)
      buffer.append(isNeeded ? cell : .null)
    }
    for (place, column) in columns.enumerated() {
      let flags =
        (edit.edited.contains(column) ? Flag.edited : 0)
        | (edit.contested.contains(column) ? Flag.contested : 0)
        | (edit.emptied.contains(column) ? Flag.emptied : 0)
      guard flags != 0 else { continue }
      buffer.append(length: place + 1)
      buffer.append(flags)
      buffer.append(try edit.base.cell(of: column, in: arena))
      if flags & Flag.contested != 0 {
        buffer.append(try (edit.origin ?? edit.base).cell(of: column, in: arena))
      }
    }
    buffer.append(length: 0)
  }
}

extension KeptChanges {
  private static func isLarge(_ cell: ColumnCell) -> Bool {
    switch cell.form {
    case .text, .blob: cell.withBytes { $0.count > largeSize }
    case .null, .integer, .real: false
    }
  }

  /// Reads changes for a context. Those of another store have no edits. What the schema no longer has
  /// is left out, and noted.
  package init(
    _ bytes: [UInt8], for context: ObjectContext, _ readers: KeptReaders = KeptReaders()
  ) throws {
    self = try bytes.withReader { reader in
      guard try reader.integer(UInt8.self) == Self.version else {
        throw GraphArchive.Damage("its changes are in another format")
      }
      let id = UUID(uuid: unsafe unsafeBitCast(try reader.integer(UInt128.self), to: uuid_t.self))
      let count = try reader.integer(Int64.self)
      var changes = KeptChanges(storeID: try reader.text(), id: id, count: count)
      if changes.storeID != context.storeID { return changes }
      for _ in 0..<(try reader.length()) {
        try changes.readEntity(&reader, context.model, readers)
      }
      guard reader.isAtEnd else { throw GraphArchive.Damage("its changes do not end") }
      return changes
    }
  }

  private init(storeID: String, id: UUID, count: Int64) {
    (self.storeID, self.id, self.count) = (storeID, id, count)
  }

  private mutating func readEntity(
    _ reader: inout ByteReader, _ model: Model, _ readers: KeptReaders
  ) throws {
    let name = try reader.text()
    var columns: [String] = []
    for _ in 0..<(try reader.length()) { columns.append(try reader.text()) }
    guard let entity = model.index(named: name) else {
      return try skipObjects(of: name, columns.count, &reader)
    }
    let entityReader = readers.reader(of: entity, model.layouts[entity], columns)
    while case let key = try reader.integer(Int64.self), key != 0 {
      if let edit = try entityReader.read(key, &reader, &notes) { edits.append(edit) }
    }
  }

  private mutating func skipObjects(
    of name: String, _ columns: Int, _ reader: inout ByteReader
  ) throws {
    var count = 0
    while try reader.integer(Int64.self) != 0 {
      _ = try reader.integer(UInt8.self)
      for _ in 0..<columns { _ = try reader.cell() }
      while try reader.length() != 0 {
        let flags = try reader.integer(UInt8.self)
        _ = try reader.cell()
        if flags & Flag.contested != 0 { _ = try reader.cell() }
      }
      count += 1
    }
    notes.append("the changes of \(count.of("object")) were left out, because no entity is \(name)")
  }
}

/// The flags of a property.
private enum Flag {
  static let edited: UInt8 = 1
  static let contested: UInt8 = 2
  static let emptied: UInt8 = 4
}

/// The readers of entities that were used before. Most changes are written with one schema.
package final class KeptReaders {
  private var known: [Int: KeptEntityReader] = [:]

  fileprivate func reader(
    of entity: Int, _ layout: Layout, _ names: [String]
  ) -> KeptEntityReader {
    if let known = known[entity], known.layout === layout, known.names == names { return known }
    func make<Value: Entity>(_: Value.Type) -> KeptEntityReader {
      KeptEntityReader(entity, layout, names, ScratchMemory(for: Value.self)) {
        AnyBox.make(Value(), key: $0)
      }
    }
    let made = make(layout.type)
    known[entity] = made
    return made
  }
}

/// A reader of the changes of one entity's objects.
private final class KeptEntityReader {
  private let entity: Int
  let layout: Layout
  /// The names of the archived properties.
  let names: [String]
  /// For each archived property, its column in the schema; nil if the schema lacks it.
  private let targets: [Int?]
  /// Whether the archive has all properties of the schema.
  private let isWhole: Bool
  /// The values of the object that is being read, in the order of the schema. Values that the schema
  /// lacks come after them.
  private let cells: CellRow
  private let scratch: ScratchMemory
  /// Returns a box with the initial value.
  private let initial: (Int64) -> AnyBox
  private let prototype: AnyBox

  init(
    _ entity: Int, _ layout: Layout, _ names: [String], _ scratch: consuming ScratchMemory,
    _ initial: @escaping (Int64) -> AnyBox
  ) {
    (self.entity, self.layout, self.names) = (entity, layout, names)
    self.scratch = scratch
    (self.initial, prototype) = (initial, initial(1))
    let targets: [Int?] = names.map { name in
      layout.column(everNamed: name).flatMap { column in
        let current = layout.columns[column].name
        return current == name || !names.contains(current) ? column : nil
      }
    }
    self.targets = targets
    isWhole = layout.columns.indices.allSatisfy(targets.contains)
    cells = CellRow(count: layout.columns.count + names.count)
  }

  /// Reads the change of an object; nil if the schema has none of its edited properties.
  func read(
    _ key: Int64, _ reader: inout ByteReader, _ notes: inout [String]
  ) throws -> KeptEdit? {
    guard let change = KeptEdit.Change(rawValue: try reader.integer(UInt8.self)), key > 0 else {
      throw GraphArchive.Damage("\(layout.name)/\(key) has an unknown change")
    }
    for (index, target) in targets.enumerated() {
      let cell = try reader.cell()
      cells[target ?? layout.columns.count + index] = cell
    }
    var columns = ColumnMask()
    let value = box(key, &columns)
    let base = value.copyValue()
    var origin: AnyBox?
    var (edited, contested, emptied) = (ColumnMask(), ColumnMask(), ColumnMask())
    while case let place = try reader.length(), place != 0 {
      let flags = try reader.integer(UInt8.self)
      let former = try reader.cell()
      let first = flags & Flag.contested != 0 ? try reader.cell() : former
      guard targets.indices.contains(place - 1) else {
        throw GraphArchive.Damage("\(layout.name)/\(key) has an edit of no property")
      }
      guard let target = targets[place - 1], columns.contains(target),
        set(target, of: base, to: former)
      else {
        notes.append(leftOut(names[place - 1], key))
        continue
      }
      if flags & Flag.edited != 0 { edited.insert(target) }
      if flags & Flag.contested != 0 {
        let began = origin ?? base.copyValue()
        if set(target, of: began, to: first) { contested.insert(target) }
        origin = began
      }
      if flags & Flag.emptied != 0 { emptied.insert(target) }
    }
    switch change {
    case .updated where edited.isEmpty && contested.isEmpty: return nil
    case .inserted, .insertedAgain:
      for (name, target) in zip(names, targets) where target.map(columns.contains) != true {
        notes.append(leftOut(name, key))
      }
    case .deleted:
      // Of a property that was not archived, the row should have the initial value. If it has another
      // one, that may be a change of others, so it is a conflict.
      for column in layout.columns.indices where layout.columns[column].isInState {
        columns.insert(column)
      }
    case .updated: break
    }
    return KeptEdit(
      entity: entity, change: change, columns: columns, value: value, base: base,
      origin: origin, edited: edited, contested: contested,
      emptied: emptied)
  }

  /// Returns a box with the values of the cells, and their columns. A property keeps its initial value
  /// if the archive lacks the property, or if the archived value does not fit its type.
  private func box(_ key: Int64, _ columns: inout ColumnMask) -> AnyBox {
    if isWhole, (try? layout.decode(cells, into: scratch.memory)) != nil {
      columns = layout.allColumns
      return prototype.make(key, moving: scratch)
    }
    let box = initial(key)
    for case let target? in targets where set(target, of: box, to: cells[target]) {
      columns.insert(target)
    }
    return box
  }

  /// Sets a property. Returns false if the value does not fit it.
  private func set(_ column: Int, of box: AnyBox, to cell: ColumnCell) -> Bool {
    (try? box.set(column, to: cell, scratch.memory)) != nil
  }

  private func leftOut(_ name: String, _ key: Int64) -> String {
    "the change of \(layout.name)/\(key).\(name) was left out, because the schema has no such property, or one of "
      + "another type"
  }
}

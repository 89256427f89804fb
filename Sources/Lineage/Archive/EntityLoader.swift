import LineageFiles
import ObjectGraph

/// A loader of one entity's objects from an archive. An instance of this base class is used for an
/// entity that the schema no longer has, and skips the objects.
class EntityLoader {
  let name: String
  /// For each column of the archive, its column in the schema; nil if the schema lacks the column.
  final let targets: [Int?]
  /// The values of the object that is being read, in the order of the schema.
  final let cells: CellRow
  private var count = 0

  init(_ name: String, targets: [Int?], cells: Int) {
    self.name = name
    self.targets = targets
    self.cells = CellRow(count: cells)
  }

  var notes: [GraphArchive.Note] { count == 0 ? [] : [.unknownEntity(name, objects: count)] }

  /// Reads the objects and inserts them into the draft. The cells contain the values of one object
  /// until the next object is read.
  final func load(_ reader: inout ByteReader, into draft: ObjectContext) throws {
    let (targets, cells) = (targets, cells)
    var last: Int64 = 0
    while case let key = try reader.integer(Int64.self), key != 0 {
      guard key > last else {
        throw GraphArchive.Damage("\(name)/\(key) does not belong after \(name)/\(last)")
      }
      for target in targets {
        let cell = try reader.cell()
        if let target { cells[target] = cell }
      }
      try insert(key, into: draft)
      last = key
      count += 1
    }
  }

  /// Inserts an object with the values of the cells. In this base class, the function does nothing.
  func insert(_ key: Int64, into draft: ObjectContext) throws {}
}

/// A loader for an entity that the schema has. It finds an archived property by its name or former
/// name.
final class ValueLoader<Value: Entity>: EntityLoader {
  private let layout = Value.layout
  /// The names of the properties in the archive.
  private let columns: [String]
  /// The columns of the schema that the archive has.
  private let present: [Int]
  private let scratch = ScratchMemory(for: Value.self)
  private var unfit: [Int: (objects: Int, first: String)] = [:]

  init(_ name: String, _ columns: [String]) {
    let layout = Value.layout
    let names = Set(columns)
    let targets = columns.map { name in
      layout.column(everNamed: name).flatMap { column in
        let current = layout.columns[column].name
        return current == name || !names.contains(current) ? column : nil
      }
    }
    self.columns = columns
    present = layout.columns.indices.filter(targets.contains)
    super.init(name, targets: targets, cells: layout.columns.count)
  }

  override var notes: [GraphArchive.Note] {
    var notes: [GraphArchive.Note] = zip(columns, targets).compactMap { column, target in
      guard let target else { return .unknownProperty(entity: name, property: column) }
      let current = layout.columns[target].name
      return current == column ? nil : .renamedProperty(entity: name, from: column, to: current)
    }
    for (index, column) in layout.columns.enumerated() {
      if let (objects, first) = unfit[index] {
        notes.append(
          .unfitValues(entity: name, property: column.name, objects: objects, first: first))
      } else if !present.contains(index) {
        notes.append(.newProperty(entity: name, property: column.name))
      }
    }
    return notes
  }

  override func insert(_ key: Int64, into draft: ObjectContext) throws {
    try draft.insert(Object(value(key), id: Ref(key: key)))
  }

  private func value(_ key: Int64) -> Value {
    guard present.count == layout.columns.count else { return piecemeal(key) }
    do {
      try layout.decode(cells, into: scratch.memory)
    } catch {
      return piecemeal(key)
    }
    return scratch.take(Value.self)
  }

  /// Returns a struct in which each property has the archived value. A property keeps its initial
  /// value if the archive lacks the property, or if the archived value does not fit the property's
  /// type.
  private func piecemeal(_ key: Int64) -> Value {
    var value = Value()
    let scratch = scratch.memory
    StructMemory.lend(&value) { value in
      for index in present {
        let column = layout.columns[index]
        do {
          try column.decode(cells[index], into: scratch)
          column.assign(from: scratch, to: value)
          column.destroy(in: scratch)
        } catch {
          let message = (error as? ColumnFault)?.message ?? "\(error)"
          let first = "\(name)/\(key) \(message), not a \(column.typeName)"
          unfit[index, default: (0, first)].objects += 1
        }
      }
    }
    return value
  }
}

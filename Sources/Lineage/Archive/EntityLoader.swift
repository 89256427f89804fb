import LineageFiles
import ObjectGraph

/// A loader of one entity's objects from an archive. An instance of this base class is used for an
/// entity that the schema no longer has, and skips the objects.
class EntityLoader {
  let name: String
  /// The names of the properties in the archive, in the order of their values.
  let columns: [String]
  private(set) var count = 0
  private var lastKey: Int64 = 0
  /// The values of the object that is being read, in the archive's order.
  final let cells: CellRow

  init(_ name: String, _ columns: [String]) {
    self.name = name
    self.columns = columns
    cells = CellRow(count: columns.count)
  }

  var notes: [GraphArchive.Note] { count == 0 ? [] : [.unknownEntity(name, objects: count)] }

  /// Reads objects and inserts them into the draft. The cells contain the values of one object
  /// until the next object is read.
  final func load(_ count: Int, _ reader: inout ByteReader, into draft: ObjectContext) throws {
    for _ in 0..<count {
      let key = try reader.integer(Int64.self)
      guard key > lastKey else {
        throw Malformed(message: "\(name)/\(key) does not belong after \(name)/\(lastKey)")
      }
      for column in columns.indices { cells[column] = try reader.cell() }
      try insert(key, into: draft)
      lastKey = key
      self.count += 1
    }
  }

  /// Inserts an object with the values of the cells. In this base class, the function does nothing.
  func insert(_ key: Int64, into draft: ObjectContext) throws {}
}

/// A loader for an entity that the schema has. It finds an archived property by its name or former
/// name.
final class ValueLoader<Value: Entity>: EntityLoader {
  private let layout = Value.layout
  /// For each column of the schema, its position among the archive's columns; nil if the archive
  /// lacks the column.
  private let sources: [Int?]
  private let isComplete: Bool
  private let scratch = ScratchMemory(for: Value.self)
  /// The values of the object that is being read, in the order of the schema.
  private let ordered: CellRow
  private var schemaNotes: [GraphArchive.Note] = []
  private var unfit: [Int: (objects: Int, first: String)] = [:]

  override init(_ name: String, _ columns: [String]) {
    let places = Dictionary(
      columns.enumerated().map { ($1, $0) }, uniquingKeysWith: { one, _ in one })
    let current = Set(layout.columns.map(\.name))
    var notes: [GraphArchive.Note] = []
    var used: Set<Int> = []
    sources = layout.columns.map { column in
      var source = places[column.name]
      if source == nil, let old = column.formerly, !current.contains(old), let place = places[old] {
        notes.append(.renamedProperty(entity: name, from: old, to: column.name))
        source = place
      }
      if let source {
        used.insert(source)
      } else {
        notes.append(.newProperty(entity: name, property: column.name))
      }
      return source
    }
    notes += columns.indices.filter { !used.contains($0) }
      .map { .unknownProperty(entity: name, property: columns[$0]) }
    isComplete = !sources.contains(nil)
    ordered = CellRow(count: layout.columns.count)
    schemaNotes = notes
    super.init(name, columns)
  }

  override var notes: [GraphArchive.Note] {
    schemaNotes
      + unfit.sorted { $0.key < $1.key }.map {
        .unfitValues(
          entity: name, property: layout.columns[$0.key].name, objects: $0.value.objects,
          first: $0.value.first)
      }
  }

  override func insert(_ key: Int64, into draft: ObjectContext) throws {
    try draft.insert(Object(value(key), id: Ref(key: key)))
  }

  private func value(_ key: Int64) -> Value {
    guard isComplete else { return piecemeal(key) }
    for (column, source) in sources.enumerated() {
      ordered[column] = source.map { cells[$0] } ?? .null
    }
    do {
      try layout.decode(ordered, into: scratch.memory)
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
      for (index, source) in sources.enumerated() {
        guard let source else { continue }
        let column = layout.columns[index]
        do {
          try column.decode(cells[source], into: scratch)
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

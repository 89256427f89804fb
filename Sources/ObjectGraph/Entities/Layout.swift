import Foundation

/// The description of an entity for a store: its names, columns and relations, and the memory
/// layout of its struct.
package final class Layout: Sendable {
  package let name: String
  package let type: any Entity.Type
  package let columns: [Column]
  /// The memory positions of the columns. They contain no references, so loops over rows need no
  /// reference counting.
  private let fields: [Field]
  /// The indices of the to-one columns.
  package let referenceColumns: [Int]
  /// All indexes, in the order of the schema. No two have the same columns.
  package let indexes: [ColumnIndex]
  /// The indexes whose values are unique.
  package let uniqueRules: [ColumnIndex]
  /// The columns in which an edit can be in conflict.
  package let contestable: ColumnMask
  /// The columns that archived state may have.
  package let columnsInState: ColumnMask
  package let toManys: [ToManyRelation]
  /// Whether the entity is a ``WillSave``.
  let hasHook: Bool
  package let size: Int
  /// The mistakes that can be found in this schema without the other schemas of the model.
  package let mistakes: [SchemaMistake]
  private let columnByOffset: [Int: Int]
  private let columnByName: [String: Int]

  init<Root: Entity>(_ name: String, _: Root.Type, _ parts: [SchemaPart]) {
    self.name = name
    type = Root.self
    size = MemoryLayout<Root>.size
    hasHook = Root.self is any WillSave.Type
    var columns: [Column] = []
    var toManys: [ToManyRelation] = []
    for part in parts {
      switch part.form {
      case .column(let column, _, _, _): columns.append(column)
      case .toMany(let relation): toManys.append(relation)
      case .index: break
      }
    }
    self.columns = columns
    indexes = Self.indexes(parts, columns)
    uniqueRules = indexes.filter(\.isUnique)
    fields = columns.map(\.field)
    self.toManys = toManys
    mistakes = SchemaCheck(name, Root.self, parts).mistakes
    // Linking reads references of objects whose schema no context has checked. If the schema has
    // mistakes, the properties may have other places or types in memory.
    referenceColumns =
      mistakes.isEmpty ? columns.indices.filter { columns[$0].kind == .reference } : []
    contestable = columns.indices.reduce(into: ColumnMask()) {
      if columns[$1].conflictRule == .ask { $0.insert($1) }
    }
    columnsInState = columns.indices.reduce(into: ColumnMask()) {
      if columns[$1].isInState { $0.insert($1) }
    }
    columnByOffset = Dictionary(
      columns.enumerated().map { ($1.offset, $0) }, uniquingKeysWith: { one, _ in one })
    columnByName = Dictionary(
      columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { one, _ in one })
  }

  private static func indexes(_ parts: [SchemaPart], _ columns: [Column]) -> [ColumnIndex] {
    var indexes: [ColumnIndex] = []
    func add(_ places: [Int], isUnique: Bool) {
      if let known = indexes.firstIndex(where: { $0.columns == places }) {
        guard isUnique, !indexes[known].isUnique else { return }
        indexes.remove(at: known)
      }
      indexes.append(ColumnIndex(columns: places, isUnique: isUnique))
    }
    var count = 0
    for part in parts {
      switch part.form {
      case .column(let column, _, _, _):
        if column.isUnique || column.isIndexed { add([count], isUnique: column.isUnique) }
        count += 1
      case .index(let index):
        let places = index.properties.compactMap { IndexDeclaration.column(of: $0, in: columns) }
        if places.count == index.properties.count { add(places, isUnique: index.isUnique) }
      case .toMany: break
      }
    }
    return indexes
  }

  /// Returns the index of the column whose property is at an offset in the struct; nil if there is
  /// none.
  package func column(at offset: Int) -> Int? { columnByOffset[offset] }

  /// Returns the index of the column that has the given name in the schema; nil if there is none.
  package func column(named name: String) -> Int? { columnByName[name] }

  /// Returns the index of the column that has the given name in this schema, or had it in an older
  /// schema; nil if there is none.
  package func column(everNamed name: String) -> Int? {
    column(named: name) ?? columns.firstIndex { $0.formerly == name }
  }

  /// All columns.
  package var allColumns: ColumnMask {
    var mask = ColumnMask()
    for column in columns.indices { mask.insert(column) }
    return mask
  }

  /// Returns the to-many relation that has the given name in the schema; nil if there is none.
  package func toMany(named name: String) -> ToManyRelation? { toManys.first { $0.name == name } }

  /// Initialises a whole struct from a row. If decoding throws, the memory stays uninitialised.
  package func decode(
    _ cells: CellRow, into memory: StructMemory
  ) throws {
    var done = 0
    do {
      let fields = self.fields
      while done < fields.count {
        let field = fields[done]
        if field.kind == .custom {
          try columns[done].decode(cells[done], into: memory)
        } else {
          try field.decode(cells[done], into: memory)
        }
        done += 1
      }
    } catch {
      let message = (error as? ColumnFault)?.message ?? "\(error)"
      let column = columns[done]
      for column in columns[..<done] { column.destroy(in: memory) }
      throw ColumnFault(message: "\(column.name) \(message), not a \(column.typeName)")
    }
  }

  /// Returns the columns in which two structs differ.
  package func difference(_ one: StructMemory, _ other: StructMemory) -> ColumnMask {
    var mask = ColumnMask()
    if one.isIdentical(to: other, size: size) { return mask }
    let fields = self.fields
    for index in fields.indices where !fields[index].isIdentical(one, other) {
      if !columns[index].isEqual(one, other) { mask.insert(index) }
    }
    return mask
  }

  /// Copies properties of a struct.
  @inline(__always)
  func assign(_ columns: ColumnMask, from source: StructMemory, to memory: StructMemory) {
    // Columns are accessed by index, because a loop over the columns themselves would retain and
    // release the references in each column.
    for index in self.columns.indices where columns.contains(index) {
      self.columns[index].assign(from: source, to: memory)
    }
  }

  /// Returns whether two structs have equal values in the given columns.
  func areEqual(_ one: StructMemory, _ other: StructMemory, in columns: ColumnMask) -> Bool {
    fields.indices.allSatisfy { index in
      !columns.contains(index) || fields[index].isIdentical(one, other)
        || self.columns[index].isEqual(one, other)
    }
  }
}

extension Layout {
  /// Returns the error for a row that cannot be read. The returned error contains the message of
  /// the given one.
  package func unreadableRow(_ key: Int64, _ error: any Error) -> GraphError {
    let message = (error as? ColumnFault)?.message ?? "\(error)"
    return GraphError("read \(name)/\(key)", .unreadable(object: "\(name)/\(key)", message))
  }
}

/// A to-many property: the objects of `target` whose to-one property refers to the owner of the
/// to-many property.
package struct ToManyRelation: Sendable {
  package let name: String
  package let target: any Entity.Type
  package let rule: DeleteRule
  let inverseOffset: Int?
  /// Whether the to-one property on the other side refers to the entity of this property.
  let isOwn: Bool
  /// The second relation of a many-to-many property, from the links to the targets; nil for any other
  /// property. `target` is then the entity of the links.
  var through: ThroughRelation?

  /// The index of the target's column that refers to the owner; nil if the target's schema lacks
  /// that column by mistake.
  package var inverse: Int? {
    inverseOffset.flatMap { target.layout.column(at: $0) }
  }
}

/// The relation from the links of a many-to-many property to its targets.
package struct ThroughRelation: Sendable {
  let target: any Entity.Type
  let offsets: LinkOffsets
}

extension Entity {
  package static var layout: Layout { schema.layout }
}

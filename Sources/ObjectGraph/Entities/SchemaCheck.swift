/// A check of a schema's names, and a check that each stored property of the struct has a name.
///
/// `Mirror` lists the stored properties and their types. The offset of each property is computed
/// from the sizes and alignments of the types, and must be the offset of one of the schema's key
/// paths. So the check detects a property that the schema lacks, without a macro.
struct SchemaCheck {
  private(set) var mistakes: [SchemaMistake] = []
  private let entity: String

  init<Root: Entity>(_ name: String, _: Root.Type, _ parts: [SchemaPart]) {
    entity = name
    checkNames(parts)
    checkCoverage(Root.self, parts)
    for part in parts {
      if case .toMany(let many) = part.form, !many.isOwn {
        add(part.name, "its inverse refers to another entity than \(Root.self)")
      }
    }
    checkIndexes(parts)
  }

  private mutating func add(_ property: String?, _ message: String) {
    mistakes.append(SchemaMistake(entity: entity, property: property, message: message))
  }

  private mutating func checkNames(_ parts: [SchemaPart]) {
    for mistake in NameRules.mistakes(inEntity: entity) { add(nil, mistake) }
    var seen: Set<String> = []
    let parts = parts.filter(\.isProperty)
    for part in parts {
      for mistake in NameRules.mistakes(inProperty: part.name, isColumn: part.isColumn) {
        add(part.name, mistake)
      }
      if !seen.insert(part.name.lowercased()).inserted { add(part.name, "the name is used twice") }
    }
    if parts.count > ColumnMask.limit {
      add(nil, "an entity has at most \(ColumnMask.limit) properties")
    }
    if !parts.contains(where: \.isColumn) {
      add(nil, "an entity needs at least one attribute or to-one property")
    }
  }

  private mutating func checkIndexes(_ parts: [SchemaPart]) {
    let columns = parts.compactMap { part in
      if case .column(let column, _, _, _) = part.form { column } else { nil }
    }
    var seen = Set(columns.indices.filter { columns[$0].isUnique }.map { [$0] })
    for part in parts {
      guard case .index(let index) = part.form else { continue }
      if index.properties.isEmpty { add(nil, "\(index.name) names no property") }
      var places: [Int] = []
      for (number, property) in index.properties.enumerated() {
        guard let place = IndexDeclaration.column(of: property, in: columns) else {
          add(nil, "property \(number + 1) of \(index.name) is no attribute or to-one property")
          continue
        }
        let name = columns[place].name
        if columns[place].isJSON { add(name, "\(index.name) names it, but it is kept as JSON") }
        if places.contains(place) { add(name, "\(index.name) names it twice") }
        places.append(place)
      }
      if index.isUnique, !places.isEmpty, !seen.insert(places).inserted {
        let names = places.map { columns[$0].name }.joined(separator: ", ")
        add(nil, "two rules say that \(names) \(places.count == 1 ? "is" : "are") unique")
      }
    }
  }

  private mutating func checkCoverage<Root: Entity>(_: Root.Type, _ parts: [SchemaPart]) {
    var names: [Int: [String]] = [:]
    var sizes: [Int: Int] = [:]
    for part in parts {
      guard case .column(let column, let hasPlace, let isNested, let isForged) = part.form else {
        continue
      }
      if hasPlace {
        names[column.offset, default: []].append(part.name)
        sizes[column.offset] = column.size
      } else {
        add(part.name, "is computed, lazy or observed, so that it has no place in the struct")
      }
      if isNested {
        add(part.name, "is an optional of an optional, but a column has only one nil")
      }
      if isForged {
        add(
          part.name,
          "\(column.typeName) returns the attributeForm of another type; make it RawRepresentable,"
            + " or declare the property with json:")
      }
    }
    for (_, twice) in names.sorted(by: { $0.key < $1.key }) where twice.count > 1 {
      add(twice[1], "the property is already named \(twice[0])")
    }
    var offset = 0
    for (label, value) in Mirror(reflecting: Root()).children {
      let (size, alignment) = Self.layout(of: value)
      offset = (offset + alignment - 1) / alignment * alignment
      // A property without bytes has nothing that a store could keep.
      if size > 0, names.removeValue(forKey: offset) == nil {
        add(label, "the property is not in the schema")
      } else if size > 0, sizes[offset] != size {
        add(label, "only a part of the property is in the schema")
      }
      offset += size
    }
    if offset != MemoryLayout<Root>.size {
      add(nil, "the struct's layout cannot be told from its properties")
    }
  }

  private static func layout<Value>(of _: Value) -> (size: Int, alignment: Int) {
    (MemoryLayout<Value>.size, MemoryLayout<Value>.alignment)
  }
}

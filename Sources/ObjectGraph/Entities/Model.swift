/// The entities of one store, whose schemas were checked together.
package final class Model: Sendable {
  package let layouts: [Layout]
  private let indices: [ObjectIdentifier: Int]
  private let identities: [ObjectIdentifier]
  private let names: [String: Int]
  /// The number of columns of the entity with the most columns.
  let columnCount: Int
  /// Whether any of the entities is a ``WillSave``.
  let hasHooks: Bool
  /// For each entity, in the order of ``layouts``: the to-one columns that refer to the entity.
  package let inbound: [[Inbound]]

  /// For each entity, the to-one columns that must not be nil, because the entity's objects are the
  /// links of a many-to-many property. Most entities have none.
  let linkEnds: [[Int]]

  /// A to-one column that refers to an entity, with the delete rule of the to-many property on the
  /// other side.
  package struct Inbound: Sendable {
    package let entity: Int
    package let column: Int
    /// The delete rule; nil if no to-many property is on the other side of the column.
    package let rule: DeleteRule?
    package let toMany: String?
  }

  /// Creates the model of some entities.
  ///
  /// - Throws: One error with all mistakes of all schemas.
  package init(_ types: [any Entity.Type]) throws {
    var layouts: [Layout] = []
    var indices: [ObjectIdentifier: Int] = [:]
    for type in types where indices[ObjectIdentifier(type)] == nil {
      indices[ObjectIdentifier(type)] = layouts.count
      layouts.append(type.layout)
    }
    var mistakes = layouts.flatMap(\.mistakes)
    func add(_ entity: Int, _ property: String?, _ message: String) {
      mistakes.append(
        SchemaMistake(entity: layouts[entity].name, property: property, message: message))
    }
    var names: [String: Int] = [:]
    for (index, layout) in layouts.enumerated() {
      if names.updateValue(index, forKey: layout.name) != nil
        || layouts[..<index].contains(where: { $0.name.lowercased() == layout.name.lowercased() })
      {
        add(index, nil, "two entities have this name")
      }
    }
    self.layouts = layouts
    columnCount = layouts.map(\.columns.count).max() ?? 0
    self.indices = indices
    hasHooks = layouts.contains(where: \.hasHook)
    identities = layouts.map { ObjectIdentifier($0.type) }
    self.names = names
    var inbound = [[Inbound]](repeating: [], count: layouts.count)
    var linkEnds = [[Int]](repeating: [], count: layouts.count)
    for (entity, layout) in layouts.enumerated() {
      for (column, property) in layout.columns.enumerated() {
        guard let target = property.target else { continue }
        guard let index = indices[ObjectIdentifier(target)] else {
          add(entity, property.name, "refers to \(target), which is not among the store's entities")
          continue
        }
        let sides = layouts[index].toManys.filter {
          $0.target == layout.type && $0.inverseOffset == property.offset
        }
        // A to-many property has the rule, also if a many-to-many property is over its objects.
        let others = sides.filter { $0.through == nil }
        let links = sides.filter { $0.through != nil }
        if others.count > 1 {
          add(
            index, others[1].name,
            "\(others[0].name) is already the other side of \(property.name)")
        }
        if others.isEmpty, let other = links.first(where: { $0.rule != links[0].rule }) {
          add(index, other.name, "\(links[0].name) has the same links, but another delete rule")
        }
        let side = others.first ?? links.first
        let isEnd = layouts.contains { owner in
          owner.toManys.contains {
            $0.target == layout.type && $0.through?.offsets.target == property.offset
          }
        }
        if isEnd || !links.isEmpty {
          linkEnds[entity].append(column)
          if let side, side.rule == .nullify {
            add(index, side.name, "its objects are links, which need both ends: cascade or deny")
          }
        }
        inbound[index].append(
          Inbound(
            entity: entity, column: column, rule: side?.rule ?? (isEnd ? .cascade : nil),
            toMany: side?.name))
      }
      for many in layout.toManys where many.inverse == nil {
        add(entity, many.name, "its inverse is not a to-one property of \(many.target)'s schema")
      }
      for many in layout.toManys where many.inverse != nil {
        if let through = many.through, through.offsets.columns(of: many.target.layout) == nil {
          let link = "\(many.target)"
          add(entity, many.name, "its target or its order is not a property of \(link)'s schema")
        }
      }
      for many in layout.toManys where indices[ObjectIdentifier(many.target)] == nil {
        add(
          entity, many.name, "refers to \(many.target), which is not among the store's entities")
      }
    }
    self.inbound = inbound
    self.linkEnds = linkEnds
    guard mistakes.isEmpty else { throw GraphError("use a schema", .schema(mistakes)) }
  }

  /// Returns the index of an entity in the model; nil if the model does not have the entity.
  ///
  /// - Complexity: O(*n*) for up to 16 entities, and constant for more.
  package func index(of type: any Entity.Type) -> Int? {
    let identity = ObjectIdentifier(type)
    return identities.count <= 16 ? identities.firstIndex(of: identity) : indices[identity]
  }

  /// Returns the index of the entity that has the given name in its schema; nil if there is none.
  package func index(named name: String) -> Int? { names[name] }

  /// Returns the index of the entity whose name in its schema has the given UTF-8; nil if there is
  /// none.
  package func index(named name: Span<UInt8>) -> Int? {
    guard layouts.count <= 16 else {
      return unsafe name.withUnsafeBufferPointer {
        unsafe names[String(decoding: $0, as: UTF8.self)]
      }
    }
    return layouts.firstIndex { name.isEqual(to: $0.name) }
  }

  /// Returns the name of a row for error messages, such as `Card/5`.
  package func name(_ entity: Int, _ id: Int64) -> String { "\(layouts[entity].name)/\(id)" }
}

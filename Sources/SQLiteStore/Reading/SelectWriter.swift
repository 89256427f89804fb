import ObjectGraph

/// Collects the tables, joins and parameters of one statement.
struct SelectWriter {
  /// A table of the statement; a class because conditions add joins to it.
  final class Source {
    let entity: Int
    let alias: String
    fileprivate var joins: [(hop: Place.Hop, source: Source)] = []

    fileprivate init(_ entity: Int, _ alias: String) {
      self.entity = entity
      self.alias = alias
    }
  }

  let model: Model
  private(set) var parameters: [Parameter] = []
  private var sourceCount = 0

  init(model: Model) { self.model = model }

  mutating func source(_ entity: Int) -> Source {
    defer { sourceCount += 1 }
    return Source(entity, "t\(sourceCount)")
  }

  /// The table with all that was joined to it.
  func from(_ source: Source) -> String {
    quoted(model.layouts[source.entity].name) + " AS \(source.alias)" + joins(of: source)
  }

  private func joins(of source: Source) -> String {
    source.joins.map { hop, target in
      let column = quoted(model.layouts[source.entity].columns[hop.column].name)
      return " LEFT JOIN \(quoted(model.layouts[target.entity].name)) AS \(target.alias)"
        + " ON \(target.alias).id = \(source.alias).\(column)" + joins(of: target)
    }.joined()
  }

  /// The table at the end of to-one relations, joined once however often it is asked for.
  mutating func source(behind hops: [Place.Hop], of root: Source) -> Source {
    var end = root
    for hop in hops {
      if let joined = end.joins.first(where: { $0.hop == hop }) {
        end = joined.source
      } else {
        let target = source(hop.entity)
        end.joins.append((hop, target))
        end = target
      }
    }
    return end
  }

  mutating func expression(_ place: Place, of root: Source) -> String {
    let source = source(behind: place.hops, of: root)
    guard let column = place.column else { return "\(source.alias).id" }
    return "\(source.alias).\(quoted(model.layouts[place.entity].columns[column].name))"
  }

  mutating func expression(_ place: ManyPlace, of root: Source) -> String {
    "\(source(behind: place.hops, of: root).alias).id"
  }

  mutating func orderable(_ path: PropertyPath, of root: Source) throws -> String {
    let place = try model.place(path, from: root.entity)
    if place.isJSON { throw model.unusable(place.entity, path.name, "JSON has no order") }
    return expression(place, of: root)
  }

  mutating func number(_ path: PropertyPath, of root: Source) throws -> String {
    let place = try model.place(path, from: root.entity)
    guard place.storage == .integer || place.storage == .real else {
      throw model.unusable(place.entity, path.name, "it is not a number")
    }
    return expression(place, of: root)
  }

  mutating func bind(_ value: Stored) -> String { bind(.value(value)) }

  mutating func bind(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "?\(parameters.count)"
  }
}

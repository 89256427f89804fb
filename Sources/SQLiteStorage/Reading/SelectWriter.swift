import ObjectGraph

/// Collects the tables, joins and parameters of one statement.
struct SelectWriter {
  /// A table of the statement; a class because conditions add joins to it.
  final class Source {
    let entity: Int
    let alias: String
    fileprivate var joins: [(hop: Place.Hop, source: Source)] = []
    /// The tables that were joined to this one and to those.
    fileprivate var joined = 0

    fileprivate init(_ entity: Int, _ alias: String) {
      self.entity = entity
      self.alias = alias
    }
  }

  let model: Model
  private(set) var parameters: [Parameter] = []
  private var sourceCount = 0
  /// Bytes of the leaves so far.
  var written = 0

  // SQLite joins 64 tables, and, unless built otherwise, admits 32,766 parameters and a million
  // bytes. What comes after these limits still takes a part. An order of 64 keys or more makes it
  // leave out joins that the order needs, and crash (3.40).
  static let mostJoins = 50
  static let mostParameters = 8_000
  static let mostBytes = 300_000
  static let mostKeys = 60

  /// Whether the statement has as much as is written as plain SQL.
  var isFull: Bool { parameters.count >= Self.mostParameters || written >= Self.mostBytes }

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
        root.joined += 1
        end = target
      }
    }
    return end
  }

  mutating func expression(_ place: Place, of root: Source) -> String {
    guard canJoin(place.hops, to: root) else { return judge(.value(place), of: root) }
    let source = source(behind: place.hops, of: root)
    guard let column = place.column else { return "\(source.alias).id" }
    return "\(source.alias).\(quoted(model.layouts[place.entity].columns[column].name))"
  }

  mutating func expression(_ place: ManyPlace, of root: Source) -> String {
    expression(place.owner(from: root.entity), of: root)
  }

  private func canJoin(_ hops: [Place.Hop], to root: Source) -> Bool {
    var end = root
    for (index, hop) in hops.enumerated() {
      guard let next = end.joins.first(where: { $0.hop == hop }) else {
        return root.joined + hops.count - index <= Self.mostJoins
      }
      end = next.source
    }
    return true
  }

  /// What a judge says of a row of the table.
  mutating func judge(_ question: Judge.Question, of root: Source) -> String {
    "lineage_judge(\(bind(.judge(Judge(question, entity: root.entity)))), \(root.alias).id)"
  }

  mutating func orderable(_ path: PropertyPath, of root: Source) throws -> String {
    expression(try model.orderable(path, from: root.entity), of: root)
  }

  /// The keys of an order, of which those beyond SQLite's limit are one blob that a judge makes.
  mutating func order(_ terms: [OrderTerm], of root: Source) throws -> [String] {
    let id = PropertyPath(name: "id")
    var known: Set<PropertyPath> = []
    var keys: [(place: Place, isDescending: Bool)] = []
    for term in terms {
      let place = try model.orderable(term.property, from: root.entity)
      // The second key of a property decides nothing, nor does what comes after the id.
      guard !known.contains(id), known.insert(term.property).inserted else { continue }
      keys.append((place, term.isDescending))
    }
    var sql: [String] = []
    for key in keys.prefix(Self.mostKeys) {
      sql.append(expression(key.place, of: root) + (key.isDescending ? " DESC" : ""))
    }
    let rest = Array(keys.dropFirst(Self.mostKeys))
    if !rest.isEmpty { sql.append(judge(.rank(rest), of: root)) }
    if !known.contains(id) { sql.append("\(root.alias).id") }
    return sql
  }

  mutating func number(_ path: PropertyPath, of root: Source) throws -> String {
    expression(try model.number(path, from: root.entity), of: root)
  }

  mutating func bind(_ value: Stored) -> String { bind(.value(value)) }

  mutating func bind(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "?\(parameters.count)"
  }
}

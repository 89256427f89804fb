import LineageFiles
import ObjectGraph

extension GraphArchive {
  /// Reads the content of an archive, without its preamble, into a draft.
  static func load(_ reader: inout ByteReader, into draft: ObjectContext) throws -> Graph {
    var loaders: [EntityLoader] = []
    var names: Set<String> = []
    for _ in 0..<(try reader.length()) {
      let name = try reader.text()
      guard names.insert(name).inserted else { throw Damage("two entities are named \(name)") }
      var columns: [String] = []
      for _ in 0..<(try reader.length()) { columns.append(try reader.text()) }
      loaders.append(loader(name, columns, draft.model))
    }
    for loader in loaders { try loader.load(&reader, into: draft) }
    var roots: [GraphObject] = []
    for _ in 0..<(try reader.length()) {
      let place = try reader.length()
      let key = try reader.integer(Int64.self)
      guard loaders.indices.contains(place) else { throw Damage("a root is of no entity") }
      let name = loaders[place].name
      guard let entity = draft.model.index(named: name) else { continue }
      guard let root = try draft.graphObject(key, entity) else {
        throw Damage("\(name)/\(key) is not in the archive")
      }
      roots.append(root)
    }
    guard reader.isAtEnd else { throw Damage("it goes on after its byte \(reader.position)") }
    return Graph(draft: draft, roots: roots, notes: loaders.flatMap(\.notes))
  }

  private static func loader(_ name: String, _ columns: [String], _ model: Model) -> EntityLoader {
    func typed<Value: Entity>(_: Value.Type) -> EntityLoader { ValueLoader<Value>(name, columns) }
    guard let entity = model.index(named: name) else {
      return EntityLoader(name, targets: columns.map { _ in nil }, cells: 0)
    }
    return typed(model.layouts[entity].type)
  }
}

import LineageFiles
import ObjectGraph

/// A loader that fills a draft with the sections of an archive.
final class GraphLoader {
  private let draft: ObjectContext
  private var loaders: [EntityLoader] = []
  private var roots: [GraphObject] = []
  private var stage = Stage.entities

  private enum Stage { case entities, objects, finished }

  init(into draft: ObjectContext) { self.draft = draft }

  /// Reads one section into the draft.
  func load(_ head: SectionHead, _ reader: inout ByteReader) throws {
    switch (head.kind, stage) {
    case (.entities, .entities):
      try loadEntities(Int(head.count), &reader)
      stage = .objects
    case (.objects, .objects):
      guard loaders.indices.contains(Int(head.entity)) else {
        throw Malformed(message: "it has objects of an entity that the archive does not list")
      }
      try loaders[Int(head.entity)].load(Int(head.count), &reader, into: draft)
    case (.end, .objects):
      try loadEnd(Int(head.count), &reader)
      stage = .finished
    default: throw Malformed(message: "a section of another kind belongs here")
    }
  }

  private func loadEntities(_ count: Int, _ reader: inout ByteReader) throws {
    for _ in 0..<count {
      let name = try reader.text()
      var columns: [String] = []
      for _ in 0..<(try reader.length()) { columns.append(try reader.text()) }
      loaders.append(loader(name, columns))
    }
  }

  private func loader(_ name: String, _ columns: [String]) -> EntityLoader {
    guard let entity = draft.model.index(named: name) else { return EntityLoader(name, columns) }
    func typed<Value: Entity>(_: Value.Type) -> EntityLoader {
      ValueLoader<Value>(name, columns)
    }
    return typed(draft.model.layouts[entity].type)
  }

  private func loadEnd(_ count: Int, _ reader: inout ByteReader) throws {
    for loader in loaders {
      let expected = try reader.integer(UInt64.self)
      guard expected == loader.count else {
        throw Malformed(
          message: "the archive has \(loader.count) of \(expected.of("object")) of \(loader.name)")
      }
    }
    for _ in 0..<count {
      let entity = Int(try reader.integer(UInt32.self))
      let key = try reader.integer(Int64.self)
      guard loaders.indices.contains(entity) else {
        throw Malformed(message: "it names an object of an entity that the archive does not list")
      }
      guard let index = draft.model.index(named: loaders[entity].name) else { continue }
      guard let root = try draft.graphObjects([key], of: index)[key] else {
        throw Malformed(message: "\(loaders[entity].name)/\(key) is not in the archive")
      }
      roots.append(root)
    }
  }

  /// Returns the loaded graph. Throws a `Damage` if the archive has no section `end`.
  func finish() throws -> GraphArchive.Graph {
    guard stage == .finished else {
      throw GraphArchive.Damage("file", at: 0, "its last section is not an end")
    }
    return GraphArchive.Graph(
      draft: draft, roots: roots, notes: loaders.flatMap(\.notes))
  }
}

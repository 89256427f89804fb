public import Foundation
package import LineageFiles
import ObjectGraph

extension GraphArchive {
  /// Saves objects, with all objects that they refer to, in place of an existing file.
  ///
  /// The objects must all be of one context, or disconnected. Their unsaved changes are saved, too.
  ///
  /// - Throws: `GraphError`: `full` or `inputOutput`, which includes a file that is no regular one;
  ///   `invalid` for a value that no store can keep; `deleted`; `otherContext`. The old file is
  ///   intact then. After `unsynced` the new file is in its place, but a power cut may bring the
  ///   old one back.
  /// - Complexity: O(objects), with one fetch for each step away from the given objects, each
  ///   entity and each 500 objects. The objects are in memory together, their bytes are not.
  public static func save(
    _ objects: [GraphObject], to url: URL, with reach: Reach = .members
  ) throws {
    try save(objects, to: url, with: reach, probe: { _ in 0 })
  }

  /// Saves all objects of a context, such as a draft or a whole store, with its unsaved changes.
  ///
  /// - Complexity: O(objects). A store's objects are in memory only some thousand at a time.
  public static func save(everythingIn context: ObjectContext, to url: URL) throws {
    try replace(url) { attempted in
      let order = context.model.layouts.indices.sorted {
        context.model.layouts[$0].name < context.model.layouts[$1].name
      }
      let writer = try ArchiveWriter(
        url, order.map { context.model.layouts[$0] }, attempted: attempted, probe: { _ in 0 })
      try context.read {
        for (place, entity) in order.enumerated() {
          guard !context.isDraft else {
            try writer.append(try context.allInstances(entity), of: place)
            continue
          }
          try context.forEachPage(of: entity, 4096) { try writer.append($0, of: place) }
        }
      }
      try writer.finish(roots: [])
    }
  }

  /// Saves objects, with steps that tests can make fail.
  package static func save(
    _ objects: [GraphObject], to url: URL, with reach: Reach = .members,
    probe: @escaping FileStep.Probe
  ) throws {
    try replace(url) { attempted in
      let tables = try Gathering(objects, with: reach, to: attempted).tables
      var places: [String: Int] = [:]
      for (place, table) in tables.enumerated() {
        let name = table.layout.name
        guard places.updateValue(place, forKey: name) == nil else {
          let mistake = SchemaMistake(
            entity: name, property: nil, message: "is the name of two types of objects")
          throw GraphError(attempted, .schema([mistake]))
        }
      }
      let writer = try ArchiveWriter(
        url, tables.map(\.layout), attempted: attempted, probe: probe)
      for (place, table) in tables.enumerated() { try writer.append(table.objects, of: place) }
      try writer.finish(
        roots: objects.compactMap { object in
          places[object.layout.name].map { ($0, object.key) }
        })
    }
  }

  /// Calls a closure that replaces the file. The closure gets the attempt, in the words that errors
  /// use. Throws if the file is a newer program's archive.
  private static func replace(_ url: URL, _ body: (String) throws -> Void) throws {
    let attempted = "save the archive \(url.path(percentEncoded: false))"
    do {
      try refuseNewer(url, attempted)
      try body(attempted)
    } catch let error as FileError {
      throw GraphError(attempted, error)
    }
  }

  /// Throws if the file is a newer program's archive.
  private static func refuseNewer(_ url: URL, _ attempted: String) throws {
    do {
      if let reader = try ArchiveReader(url), reader.format > ArchivePreamble.current {
        throw GraphError(attempted, .newerArchive(format: Int(reader.format)))
      }
    } catch is Damage {
      // A save may replace a file that is damaged or no archive.
    }
  }
}

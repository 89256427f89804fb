public import Foundation
package import LineageFiles
import ObjectGraph

extension GraphArchive {
  /// Saves objects, with all objects that they refer to, in a file. An existing file is replaced.
  ///
  /// The objects must all be of one context, or disconnected. The archive has their present values,
  /// including unsaved changes.
  ///
  /// - Throws: `GraphError`. The reason is `full`; `inputOutput`, also for a file that is not a
  ///   regular file; `invalid` for a value that no store can keep; `deleted`; or `otherContext`.
  ///   The old file is intact then. If the reason is `unsynced`, the new file has replaced the old
  ///   one, but a power cut may undo this.
  /// - Complexity: O(objects), with one fetch for each step away from the given objects, each
  ///   entity and each 500 objects. All objects are in memory at the same time, but only a part of
  ///   the archive's bytes.
  public static func save(
    _ objects: [GraphObject], to url: URL, with reach: Reach = .members
  ) throws {
    try save(objects, to: url, with: reach, probe: { _ in 0 })
  }

  /// Saves all objects of a context in a file, with the context's unsaved changes. The context can
  /// be a draft or that of a store.
  ///
  /// - Complexity: O(objects). Of a store's objects, only some thousand are in memory at the same
  ///   time.
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
            try writer.append(try context.allGraphObjects(entity), of: place)
            continue
          }
          try context.forEachPage(of: entity, 4096) { try writer.append($0, of: place) }
        }
      }
      try writer.finish(roots: [])
    }
  }

  /// Saves objects. With the closure `probe`, tests can make each step of replacing the file fail.
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

  /// Calls a closure that replaces the file. The closure gets the name of the attempted operation
  /// for its errors. Throws if the file is a newer program's archive.
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
      // A save may replace a file that is damaged or not an archive.
    }
  }
}

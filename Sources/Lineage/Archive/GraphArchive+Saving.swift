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
    let model = context.model
    let order = model.layouts.indices.sorted { model.layouts[$0].name < model.layouts[$1].name }
    try replace(url) { attempted in
      var writer = try ArchiveWriter(
        url, order.map { model.layouts[$0] }, attempted: attempted, probe: { _ in 0 })
      try context.read {
        for entity in order {
          if context.isDraft {
            try writer.append(try context.allGraphObjects(entity))
          } else {
            try context.forEachPage(of: entity, 4096) { try writer.append($0) }
          }
          writer.endEntity()
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
      var writer = try ArchiveWriter(
        url, tables.map(\.layout), attempted: attempted, probe: probe)
      for table in tables {
        try writer.append(table.objects)
        writer.endEntity()
      }
      try writer.finish(
        roots: objects.compactMap { object in
          places[object.layout.name].map { ($0, object.key) }
        })
    }
  }

  /// Calls a closure that replaces the file. The closure gets the name of the attempted operation
  /// for its errors. Throws if the file is an archive of another format. A file that is damaged or
  /// no archive is replaced.
  private static func replace(_ url: URL, _ body: (String) throws -> Void) throws {
    let attempted = "save the archive \(url.path(percentEncoded: false))"
    do {
      if let file = try InputFile(url), let format = try ArchivePreamble.format(of: file),
        format != ArchivePreamble.currentFormat
      {
        throw GraphError(attempted, .otherArchive(format: Int(format)))
      }
      try body(attempted)
    } catch let error as FileError {
      throw GraphError(attempted, error)
    }
  }
}

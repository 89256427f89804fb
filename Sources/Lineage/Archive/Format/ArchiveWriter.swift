import Foundation
import LineageFiles
import ObjectGraph

/// A writer of a graph archive. It writes one section after the other, so it needs memory for only
/// one section.
final class ArchiveWriter {
  private let file: AtomicFile
  private let attempted: String
  private let layouts: [Layout]
  private var counts: [Int]
  private var totals = ArchiveTotals()
  /// The content of the current section. `head` describes this section.
  private var content = ByteBuffer(capacity: sectionSize * 5 / 4)
  private var head = SectionHead(.objects, count: 0)
  private var frame = ByteBuffer(capacity: 64)
  private let arena = CellArena()

  /// The number of bytes at which a section ends. The object with which the section reaches this
  /// number is still in the section.
  private static let sectionSize = 1 << 17

  /// Begins an archive of the entities with the given layouts. Objects must then be appended in the
  /// order of the layouts.
  init(_ url: URL, _ layouts: [Layout], attempted: String, probe: @escaping FileStep.Probe) throws {
    file = try AtomicFile(replacing: url, probe: probe)
    self.attempted = attempted
    self.layouts = layouts
    counts = Array(repeating: 0, count: layouts.count)
    try writeBeginning()
    try begin(SectionHead(.entities, count: layouts.count))
    for layout in layouts {
      content.append(layout.name)
      content.append(length: layout.columns.count)
      for column in layout.columns { content.append(column.name) }
    }
    try begin(SectionHead(.objects, count: 0))
  }

  private func writeBeginning() throws {
    frame.clear()
    ArchivePreamble.append(to: &frame)
    totals.append(to: &frame)
    try frame.withBytes { try file.write($0, at: 0) }
  }

  /// Appends objects of an entity. Entities must come in the order of the layouts, and the objects
  /// of an entity in the order of their ids.
  func append(_ objects: [GraphObject], of entity: Int) throws {
    if head.entity != entity { try begin(SectionHead(.objects, entity: entity, count: 0)) }
    var rest = objects[...]
    while !rest.isEmpty {
      let taken = try fill(rest, layouts[entity].columns, &content)
      rest = rest.dropFirst(taken)
      head.count += UInt32(taken)
      counts[entity] += taken
      if content.count >= Self.sectionSize {
        try begin(SectionHead(.objects, entity: entity, count: 0))
      }
    }
  }

  /// Appends objects to the content until it is large enough for a section. Returns the number of
  /// appended objects.
  private func fill(
    _ objects: ArraySlice<GraphObject>, _ columns: [Column], _ content: inout ByteBuffer
  ) throws -> Int {
    var taken = 0
    for object in objects {
      guard content.count < Self.sectionSize else { break }
      content.append(object.key)
      try object.withValue { value in
        for column in columns {
          do {
            content.append(try column.cell(of: value, in: arena))
          } catch {
            throw unfit(object, column, error)
          }
        }
      }
      arena.reset()
      taken += 1
    }
    return taken
  }

  private func unfit(_ object: GraphObject, _ column: Column, _ error: any Error) -> GraphError {
    let problem = Problem(column.name, (error as? ColumnFault)?.message ?? "\(error)")
    return GraphError(
      attempted, .invalid([InvalidObject(object: object.reference, problems: [problem])]))
  }

  /// Writes the current section, and then begins another section. A section `objects` without
  /// objects is not written.
  private func begin(_ next: SectionHead) throws {
    defer {
      head = next
      content.clear()
    }
    guard head.count > 0 || head.kind != .objects else { return }
    frame.clear()
    head.length = UInt64(content.count)
    content.withBytes { head.append(to: &frame, at: totals.sections, $0) }
    let place = Int(totals.length)
    try frame.withBytes { try file.write($0, at: place) }
    try content.withBytes { try file.write($0, at: place + frame.count) }
    totals.sections += 1
    totals.length += UInt64(frame.count + content.count)
  }

  /// Writes the last section, and replaces the file by the finished archive.
  func finish(roots: [(entity: Int, key: Int64)]) throws {
    try begin(SectionHead(.end, count: roots.count))
    for count in counts { content.append(UInt64(count)) }
    for root in roots {
      content.append(UInt32(root.entity))
      content.append(root.key)
    }
    try begin(SectionHead(.objects, count: 0))
    try writeBeginning()
    try file.commit()
  }
}

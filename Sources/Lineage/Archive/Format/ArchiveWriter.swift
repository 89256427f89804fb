import Foundation
import LineageFiles
import ObjectGraph

/// A writer of a graph archive. It has only a small part of the archive in memory.
struct ArchiveWriter: ~Copyable {
  private let file: AtomicFile
  private let attempted: String
  /// The bytes that are not yet in the file.
  private var buffer = ByteBuffer(capacity: bufferSize * 5 / 4)
  /// The checksum of the bytes in the file.
  private var checksum = Checksum()
  /// The number of bytes in the file.
  private var position = 0
  private let arena = CellArena()

  /// The number of bytes from which on the buffer is written to the file.
  private static let bufferSize = 1 << 17

  /// Begins an archive of the entities with the given layouts. The objects of these entities must
  /// then be appended in the order of the layouts.
  init(_ url: URL, _ layouts: [Layout], attempted: String, probe: @escaping FileStep.Probe) throws {
    file = try AtomicFile(replacing: url, probe: probe)
    self.attempted = attempted
    buffer.append(ArchivePreamble.bytes().span)
    buffer.append(length: layouts.count)
    for layout in layouts {
      buffer.append(layout.name)
      buffer.append(length: layout.columns.count)
      for column in layout.columns { buffer.append(column.name) }
    }
  }

  /// Appends objects of one entity, in the order of their ids.
  mutating func append(_ objects: [GraphObject]) throws {
    guard let columns = objects.first?.layout.columns else { return }
    let arena = arena
    for object in objects {
      buffer.append(object.key)
      try object.withValue { value in
        for column in columns {
          do {
            buffer.append(try column.cell(of: value, in: arena))
          } catch {
            throw unfit(object, column, error)
          }
        }
      }
      arena.reset()
      if buffer.count >= Self.bufferSize { try writeBuffer() }
    }
  }

  private func unfit(_ object: GraphObject, _ column: Column, _ error: any Error) -> GraphError {
    let problem = Problem(column.name, (error as? ColumnFault)?.message ?? "\(error)")
    return GraphError(
      attempted, .invalid([InvalidObject(object: object.reference, problems: [problem])]))
  }

  /// Ends the objects of an entity.
  mutating func endEntity() { buffer.append(0 as Int64) }

  private mutating func writeBuffer() throws {
    var checksum = checksum
    try buffer.withBytes {
      checksum.feed($0)
      try file.write($0, at: position)
    }
    self.checksum = checksum
    position += buffer.count
    buffer.clear()
  }

  /// Writes the roots and the checksum, and replaces the file by the finished archive.
  mutating func finish(roots: [(entity: Int, key: Int64)]) throws {
    buffer.append(length: roots.count)
    for root in roots {
      buffer.append(length: root.entity)
      buffer.append(root.key)
    }
    try writeBuffer()
    buffer.append(checksum.value)
    try writeBuffer()
    try file.commit()
  }
}

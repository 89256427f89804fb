/// All rows of a store in one moment, for another store.
package final class StoreContents {
  /// The id of the store that has the rows.
  package let id: String
  private let source: any ObjectStore
  private let target: Model
  private let reader: any StoreReader
  private let cancellation: Cancellation
  /// The closure that hears how many of all rows were copied.
  private let report: (_ done: Int, _ total: Int) throws -> Void

  init(
    of source: any ObjectStore, for target: any ObjectStore, _ cancellation: Cancellation,
    _ report: @escaping (_ done: Int, _ total: Int) throws -> Void
  ) throws {
    guard source !== target else {
      throw GraphError("copy a store", .other("it is to be copied into itself"))
    }
    let names = Set(source.model.layouts.map(\.name))
    let isSame =
      names == Set(target.model.layouts.map(\.name))
      && source.model.layouts.allSatisfy { target.model.index(of: $0.type) != nil }
    guard isSame else { throw GraphError("copy a store", .other("the stores have other entities")) }
    id = source.id
    self.source = source
    self.target = target.model
    reader = try source.makeReader()
    self.cancellation = cancellation
    self.report = report
    var terms = ReadTerms()
    terms.keepsMoment = true
    reader.setTerms(terms)
  }

  deinit {
    reader.setTerms(ReadTerms())
    reader.end()
  }

  /// Calls a closure with inserts of all rows, about a thousand at a time.
  package func forEachBatch(_ body: ([Write]) throws -> Void) throws {
    let entities = source.model.layouts.indices
    let total = try entities.reduce(0) { total, entity in
      let count = try reader.aggregate(.count, of: Query(entity: entity))
      return if case .integer(let count) = count { total + Int(count) } else { total }
    }
    var done = 0
    for entity in entities {
      try forEachBatch(of: entity) { batch in
        try cancellation.check()
        try body(batch)
        done += batch.count
        try report(done, total)
      }
    }
  }

  private func forEachBatch(of entity: Int, _ body: ([Write]) throws -> Void) throws {
    let layout = source.model.layouts[entity]
    guard let place = target.index(of: layout.type) else { return }
    let cursor = try reader.cursor(Query(entity: entity))
    defer { cursor.close() }
    let cells = CellRow(count: layout.columns.count)
    var (batch, size): ([Write], Int) = ([], 0)
    while let id = try cursor.next() {
      cursor.load(into: cells)
      do {
        let row = try layout.type.copied(from: cells)
        batch.append(Write(entity: place, id: id, kind: .insert, isChecked: false, source: row))
      } catch {
        throw layout.unreadableRow(id, error)
      }
      size += layout.columns.indices.reduce(0) { $0 + Int(cells[$1].count) }
      guard batch.count == 1_000 || size > 4_000_000 else { continue }
      try body(batch)
      (batch, size) = ([], 0)
    }
    if !batch.isEmpty { try body(batch) }
  }
}

/// A row that is written as it was read.
private final class CopiedRow<Value: Entity>: WriteSource {
  private var value: Value

  init(_ value: Value) { self.value = value }

  func lend(_ body: (_ value: StructMemory, _ base: StructMemory?) throws -> Void) rethrows {
    try StructMemory.lend(&value) { try body($0, nil) }
  }
}

extension Entity {
  fileprivate static func copied(from cells: CellRow) throws -> any WriteSource {
    CopiedRow(try StructMemory.make(Self.self) { try layout.decode(cells, into: $0) })
  }
}

extension ObjectStore {
  /// Throws an error, because a store of a test takes no rows.
  package func fill(with _: StoreContents) throws {
    throw GraphError("copy into a store", .other("it takes no rows of another store"))
  }
}

extension GraphError {
  /// The error for a store that is to be filled, but has objects.
  package static var isFilled: GraphError {
    GraphError("copy into a store", .other("it has objects already"))
  }
}

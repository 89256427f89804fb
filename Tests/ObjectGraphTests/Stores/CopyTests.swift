import Foundation
import LineageTestSupport
import ObjectGraph
import Synchronization
import Testing

@Suite("A copy of a store", .hangGuard)
struct CopyTests {
  @Test("has all objects with their ids, and the store's id", arguments: Stores.all, Stores.all)
  func whole(_ from: Stores, _ into: Stores) async throws {
    let (one, other) = (
      try await from.open(StoreLaw.entities), try await into.open(StoreLaw.entities)
    )
    let (source, target) = (
      try #require(one.store as? any Store), try #require(other.store as? any Store)
    )
    let context = source.makeContext()
    for kind in ColumnKind.allCases {
      for example in kind.examples {
        for sample in example.samples {
          var plain = sample
          (plain.group, plain.friend) = (nil, nil)
          try context.insert(plain)
        }
      }
    }
    let samples = try context.fetch(Sample.self, sort: { $0.id })
    for (sample, friend) in zip(samples, samples.reversed()) { sample.friend = friend }
    try context.save()
    let told = Mutex<[Int?]>([])
    try await source.copy(to: target) { progress in
      told.withLock { $0 = [progress.completed, progress.total] }
    }
    #expect(source.id == target.id)
    let copies = try target.makeContext().fetch(Sample.self, sort: { $0.id })
    #expect(copies.map(\.id) == samples.map(\.id))
    #expect(try copies.map { try cells($0.value) } == samples.map { try cells($0.value) })
    #expect(told.withLock { $0 } == [samples.count, samples.count])
    // The copy is a store like others.
    let more = target.makeContext()
    try more.insert(Sample())
    try more.save()
    try await other.reopen()
    #expect((other.store as? any Store)?.id == source.id)
  }

  private func cells(_ sample: Sample) throws -> [StoredValue] {
    var sample = sample
    return try StructMemory.lend(&sample) { sample in
      try Sample.layout.columns.map { try $0.stored(of: sample) }
    }
  }

  @Test("is refused by a store with objects, or with other entities", arguments: Stores.all)
  func refused(_ kind: Stores) async throws {
    let source = try MemoryStore(Library.entities)
    let context = source.makeContext()
    try context.insert(Card("a"))
    try context.save()
    let filled = try #require(try await kind.open().store as? any Store)
    let own = filled.makeContext()
    try own.insert(Card("b"))
    try own.save()
    let id = filled.id
    await #expect(throws: GraphError.self) { try await source.copy(to: filled) }
    #expect(filled.id == id)
    #expect(try filled.makeContext().fetch(Card.self).map(\.question) == ["b"])
    let other = try #require(try await kind.open(StoreLaw.entities).store as? any Store)
    await #expect(throws: GraphError.self) { try await source.copy(to: other) }
    await #expect(throws: GraphError.self) { try await source.copy(to: source) }
  }

  @Test("does not appear if it is cancelled", arguments: Stores.all)
  func cancelled(_ kind: Stores) async throws {
    let source = try MemoryStore(Library.entities)
    let context = source.makeContext()
    for number in 0..<3_000 { try context.insert(Card("c\(number)")) }
    try context.save()
    let target = try #require(try await kind.open().store as? any Store)
    let id = target.id
    let copying = Task { [source] in
      try await source.copy(to: target) { if $0.completed >= 1_000 { $0.cancel() } }
    }
    await #expect(throws: CancellationError.self) { try await copying.value }
    #expect(target.id == id)
    #expect(try target.makeContext().count(Card.self) == 0)
    try await source.copy(to: target)
    #expect(try target.makeContext().count(Card.self) == 3_000)
  }

  @Test("tells the contexts of the other store", arguments: Stores.all)
  func told(_ kind: Stores) async throws {
    let source = try MemoryStore(Library.entities)
    let context = source.makeContext()
    try context.insert(Card("a"))
    try context.save()
    let target = try #require(try await kind.open().store as? any Store)
    let reader = target.makeContext()
    let list = try LiveList(FetchRequest<Card>(), in: reader)
    #expect(list.isEmpty)
    try await source.copy(to: target)
    try reader.merge()
    #expect(list.map(\.question) == ["a"])
  }
}

import Lineage
import LineageJournalStore
import LineageTestSupport
import Testing

@Suite("An archive of a journal's objects")
struct JournalArchiveTests {
  private let drawer: Drawer

  init() throws { drawer = try Drawer() }

  @Test("The ends of each kind come back", arguments: ColumnKind.allCases)
  func kinds(_ kind: ColumnKind) async throws {
    let url = drawer.file()
    let store = try await JournalStore.open(Journal(), StoreLaw.entities)
    let context = store.makeContext()
    defer { context.discard() }
    try store.commit(
      KindExample.groups.map { .insert($0, Group(), in: store.model) }, from: nil)
    for example in kind.examples {
      let samples = try example.samples.map { try context.insert($0) }
      try GraphArchive.save(samples, to: url)
      guard case .graph(let graph) = try GraphArchive.open(url, StoreLaw.entities) else {
        Issue.record("no graph")
        return
      }
      let again = graph.roots.compactMap { ($0 as? Object<Sample>)?.value }
      #expect(try again.map(cells) == example.samples.map(cells))
    }
  }

  private func cells(_ sample: Sample) throws -> [StoredValue] {
    var sample = sample
    return try StructMemory.lend(&sample) { sample in
      try Sample.layout.columns.map { try $0.stored(of: sample) }
    }
  }
}

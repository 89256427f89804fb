import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of a context whose moments (read transactions) the store ends after each read, as a file does
/// if many other contexts read at the same time.
@Suite("A context whose moments are taken away", .hangGuard)
struct TakenMomentTests {
  struct Note: Entity {
    var text = ""
    static let schema = Schema<Note>("Note") { Attribute("text", \.text) }
  }

  /// A store whose readers lose their moment after a read, unless it must be kept.
  private final class TakingStore: ForwardingStore {
    let base: any ObjectStore
    init(_ base: any ObjectStore) { self.base = base }
    func makeReader() throws -> any StoreReader { TakingReader(try base.makeReader()) }
  }

  private final class TakingReader: ForwardingReader {
    let base: any StoreReader
    private var terms = ReadTerms()
    private(set) var reads = 0
    init(_ base: any StoreReader) { self.base = base }

    func row(_ id: Int64, of entity: Int, into cells: CellRow) throws -> Bool {
      reads += 1
      precondition(reads < 1_000, "The context reads the row for ever.")
      let exists = try base.row(id, of: entity, into: cells)
      if !terms.keepsMoment {
        // Another context gets the connection, and this one begins another moment.
        base.end()
        try base.begin()
      }
      return exists
    }

    func setTerms(_ terms: ReadTerms) {
      self.terms = terms
      base.setTerms(terms)
    }
  }

  @Test("A row is found, and the commits of others with it")
  func find() throws {
    let store = try MemoryStore([Note.self])
    let (context, others) = (TakingStore(store).makeContext(), store.makeContext())
    let notes = try (0..<3).map { try others.insert(Note(text: "\($0)")) }
    try others.save()
    #expect(try context.find(notes[0].id)?.text == "0")
    notes[1].text = "changed"
    try others.save()
    #expect(try context.find(notes[1].id)?.text == "changed")
    try others.delete(notes[2])
    try others.save()
    #expect(try context.find(notes[2].id) == nil)
    #expect(try context.find(notes[0].id)?.text == "0")
  }
}

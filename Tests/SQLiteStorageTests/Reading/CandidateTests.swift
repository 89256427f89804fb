import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Rows that SQL lets through and the reader tests", .hangGuard)
struct CandidateTests {
  @Test("Candidates that the reader tests itself count for the limit of a read")
  func limited() async throws {
    let folder = try Drawer()
    let file = try await SQLiteStore.open(
      at: folder.file(), [Sample.self, Group.self], options: StoreOptions(readLimit: 100))
    try file.commit(
      (1...200).map { .insert(Ref(key: Int64($0)), Sample(), in: file.model) }, from: nil)
    let query = try FetchRequest<Sample>(where: { $0.number < 0 }).query(in: file.model)
    let reader = try PoorStore(file).makeReader()
    for read in [{ _ = try reader.ids(query) }, { _ = try reader.aggregate(.count, of: query) }] {
      let error = try #require(throws: GraphError.self, performing: read)
      guard case .tooLong(steps: 100) = error.reason else {
        Issue.record("\(error)")
        return
      }
    }
    #expect(try reader.ids(Query(entity: 0, limit: 3)) == [1, 2, 3])
    var terms = ReadTerms()
    terms.runsToEnd = true
    reader.setTerms(terms)
    #expect(try reader.ids(query) == [])
  }

  @Test("Relations of candidates take one query for each level and 500 candidates")
  func queries() async throws {
    let folder = try Drawer()
    let file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    try file.commit(
      (1...1_200).map { number in
        var sample = Sample()
        (sample.number, sample.friend) = (number, Ref(key: Int64(number % 1_200 + 1)))
        return .insert(Ref(key: Int64(number)), sample, in: file.model)
      }, from: nil)
    let reader = try #require(try PoorStore(file).makeReader() as? PoorReader)
    func statements(_ filter: (Columns<Sample>) -> Filter<Sample>, found: Int) throws -> Int {
      let before = reader.statements
      let query = try FetchRequest(where: filter).query(in: file.model)
      #expect(try reader.ids(query).count == found)
      return reader.statements - before
    }
    #expect(try statements({ $0.number < 5 }, found: 4) == 1)
    #expect(try statements({ $0.friend.friend.number < 5 }, found: 4) <= 1 + 2 * 3)
    #expect(try statements({ $0.friends.contains { $0.number > 1_190 } }, found: 10) <= 1 + 3)
    // A level with two relations is fetched by one statement.
    let both = try statements(
      { $0.friend.number < 5 || $0.friends.contains { $0.number > 1_197 } }, found: 5)
    #expect(both <= 1 + 3)
  }
}

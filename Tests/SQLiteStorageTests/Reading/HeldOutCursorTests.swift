import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Cursors over candidates are cursors like others", .hangGuard)
struct HeldOutCursorTests {
  private let folder: Drawer
  private let file: SQLiteStore
  private let poor: PoorStore
  private static let count = 1_500

  init() async throws {
    folder = try Drawer()
    file = try await SQLiteStore.open(at: folder.file(), [Sample.self, Group.self])
    poor = PoorStore(file)
    try file.commit(
      (1...Self.count).map { .insert(Ref(key: Int64($0)), Self.sample($0), in: file.model) },
      from: nil)
  }

  /// Returns a sample whose number is its id, and whose friend is the next sample.
  private static func sample(_ id: Int) -> Sample {
    var sample = Sample()
    sample.number = id
    sample.text = "t\(id)"
    sample.friend = Ref(key: Int64(id % count + 1))
    return sample
  }

  private func query(
    limit: Int? = nil, offset: Int = 0, order: Ordering<Sample>? = nil,
    _ filter: (Columns<Sample>) -> Filter<Sample>
  ) throws -> Query {
    let request = FetchRequest<Sample>(
      filter: Filter(filter), order: order ?? Ordering(terms: []), limit: limit, offset: offset)
    return try request.query(in: file.model)
  }

  private func rest(_ cursor: any RowCursor) throws -> [Int64] {
    var ids: [Int64] = []
    while let id = try cursor.next() { ids.append(id) }
    return ids
  }

  private static let number = Sample.layout.column(named: "number") ?? -1

  private func change(_ ids: [Int], to number: Int) throws {
    try file.commit(
      ids.map { id in
        var sample = Self.sample(id)
        sample.number = number
        return .update(
          Ref(key: Int64(id)), ["number"], from: Self.sample(id), to: sample, in: file.model)
      }, from: nil)
  }

  @Test("Two at once, with reads of rows between, load the row that each is at")
  func two() throws {
    let reader = try poor.makeReader()
    let one = try reader.cursor(try query { $0.friend.number > 2 })
    let other = try reader.cursor(
      try query(order: Ordering { $0.number.descending }) { $0.friend.number > 0 })
    let (cells, second) = (
      CellRow(count: Sample.layout.columns.count), CellRow(count: Sample.layout.columns.count)
    )
    for id in 2..<1_400 {
      let first = try #require(try one.next())
      #expect(first == Int64(id))
      let last = try #require(try other.next())
      #expect(last == Int64(Self.count + 2 - id))
      if id.isMultiple(of: 100) {
        #expect(try reader.value(Ref<Sample>(key: 1), in: file.model)?.number == 1)
        #expect(try reader.aggregate(.count, of: try query { $0.number < 10 }) == .integer(9))
      }
      one.load(into: cells)
      other.load(into: second)
      one.load(into: cells)
      #expect(cells[Self.number].stored == .integer(first))
      #expect(second[Self.number].stored == .integer(last))
    }
    one.close()
    #expect(try other.next() == Int64(Self.count + 2 - 1_400))
    other.close()
    reader.end()
  }

  @Test("After its end it stays at the end; closed half-way it leaves the reader free")
  func ends() throws {
    let reader = try poor.makeReader()
    let cursor = try reader.cursor(try query { $0.friend.number < 4 && $0.number < 10 })
    #expect(try rest(cursor) == [1, 2])
    #expect(try cursor.next() == nil)
    #expect(try cursor.next() == nil)
    cursor.close()
    cursor.close()
    for _ in 0..<20 {
      let half = try reader.cursor(try query { $0.friend.number > 2 })
      #expect(try half.next() == 2)
      half.close()
      #expect(try half.next() == nil)
    }
    #expect(try reader.ids(try query { $0.number > 1_498 }) == [1_499, 1_500])
    reader.end()
    #expect(reader.moment == 0)
  }

  @Test("A commit between its pages is not seen, before and after the end of the moment")
  func commits() throws {
    for isEnded in [false, true] {
      for isOrdered in [false, true] {
        let reader = try poor.makeReader()
        let query = try query(order: isOrdered ? Ordering { $0.number } : nil) {
          $0.friend.number > 100
        }
        let wanted = try reader.ids(query)
        let moment = reader.moment
        let cursor = try reader.cursor(query)
        let before = try reader.value(Ref<Sample>(key: 900), in: file.model)?.number ?? -1
        #expect(try cursor.next() == wanted.first)
        try file.commit(
          [.insert(Object(Sample()).id, Self.sample(7), in: file.model)], from: nil)
        let base = try #require(
          try file.makeReader().value(Ref<Sample>(key: 900), in: file.model))
        var new = base
        new.number = -before
        try file.commit(
          [.update(Ref(key: 900), ["number"], from: base, to: new, in: file.model)], from: nil)
        if isEnded { reader.end() }
        let found = [wanted[0]] + (try rest(cursor))
        #expect(found == wanted, "ended \(isEnded), ordered \(isOrdered)")
        #expect(reader.moment == (isEnded ? 0 : moment))
        reader.end()
      }
    }
  }

  @Test("A cursor in the order of a property returns the rows of its moment, also after its end")
  func endedOrdered() throws {
    let reader = try poor.makeReader()
    let cursor = try reader.cursor(
      try query(order: Ordering { $0.number }) { $0.flag == false })
    #expect(try cursor.next() == 1)
    reader.end()
    var changed = Self.sample(1_200)
    changed.text = "changed"
    try file.commit(
      [.update(Ref(key: 1_200), ["text"], from: Self.sample(1_200), to: changed, in: file.model)],
      from: nil)
    let cells = CellRow(count: Sample.layout.columns.count)
    let text = try #require(Sample.layout.column(named: "text"))
    while let id = try cursor.next() {
      cursor.load(into: cells)
      #expect(cells[text].stored == .text("t\(id)"))
    }
    #expect(reader.moment == 0)
    reader.end()
  }

  @Test("Twenty other readers do not take its moment away")
  func pool() throws {
    let reader = try poor.makeReader()
    let cursor = try reader.cursor(try query { $0.friend.number > 2 })
    #expect(try cursor.next() == 2)
    let moment = reader.moment
    try change([600, 1_200], to: -1)
    let others = try (0..<20).map { _ in try poor.makeReader() }
    for other in others {
      #expect(
        try other.ids(try query { $0.friend.number < 0 }) == [599, 1_199])
    }
    #expect(try rest(cursor) == Array(3..<1_500))
    #expect(reader.moment == moment)
    // Without a cursor, the moment may be taken.
    for other in others { _ = try other.ids(try query { $0.number < 0 }) }
    #expect(try reader.ids(try query { $0.number < 0 }).count < 3)
    #expect(file.readConnections <= 9)
    reader.end()
    for other in others { other.end() }
  }

  @Test("Cancelled in the middle of a long scan it throws, and the reader reads on")
  func cancelled() async throws {
    let task = Task<Void, any Error> { [poor, file] in
      let reader = try poor.makeReader()
      for filter in [
        Filter<Sample> { $0.number == 1 || $0.number > 1_499 },
        Filter<Sample> { $0.friend.number == 2 || $0.friend.number < 2 },
      ] {
        let request = FetchRequest<Sample>(filter: filter)
        let cursor = try reader.cursor(try request.query(in: file.model))
        #expect(try cursor.next() == 1)
        await Task.yield()
        withUnsafeCurrentTask { $0?.cancel() }
        let error = #expect(throws: GraphError.self) { try cursor.next() }
        guard case .cancelled? = error?.reason else {
          Issue.record("\(String(describing: error))")
          return
        }
        break
      }
      #expect(
        try reader.ids(
          try FetchRequest<Sample>(where: { $0.number > 1_498 }).query(in: file.model))
          == [1_499, 1_500])
      reader.end()
      #expect(reader.moment == 0)
    }
    try await task.value
  }

  @Test("A limit of reads ends it in the middle; what came before stays, and others read on")
  func limited() async throws {
    let folder = try Drawer()
    let file = try await SQLiteStore.open(
      at: folder.file(), [Sample.self, Group.self], options: StoreOptions(readLimit: 40_000))
    try file.commit(
      (1...Self.count).map { .insert(Ref(key: Int64($0)), Self.sample($0), in: file.model) },
      from: nil)
    let reader = try PoorStore(file).makeReader()
    for _ in 0..<3 {
      let cursor = try reader.cursor(try query { $0.number < 3 || $0.number > 1_400 })
      #expect(try cursor.next() == 1)
      #expect(try cursor.next() == 2)
      let error = #expect(throws: GraphError.self) { try cursor.next() }
      guard case .tooLong(steps: 40_000)? = error?.reason else {
        Issue.record("\(String(describing: error))")
        return
      }
      cursor.close()
    }
    #expect(try reader.ids(try query(limit: 3) { $0.number > 300 }) == [301, 302, 303])
    reader.end()
  }

  @Test("A windowed list is refused, whether the filter or the order is more than the dialect says")
  func windows() throws {
    let context = poor.makeContext()
    func refused(_ request: FetchRequest<Sample>) {
      do {
        _ = try WindowedList(request, in: context)
        Issue.record("not refused: \(request)")
      } catch let error as GraphError {
        guard case .invalid = error.reason else {
          Issue.record("\(error)")
          return
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    refused(FetchRequest<Sample>(where: { $0.number > 1 }))
    refused(FetchRequest<Sample>(where: { $0.number > 1 }, sort: { $0.maybeNumber }))
    refused(FetchRequest<Sample>(sort: { $0.maybeNumber }))
    refused(FetchRequest<Sample>(where: { $0.number == 1 }, sort: { $0.maybeNumber }))
    refused(FetchRequest<Sample>(where: { $0.number == 1 }, sort: { $0.id.descending }))
  }
}

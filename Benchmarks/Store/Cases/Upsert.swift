import Foundation
import Lineage

/// The `upsert` case: members are inserted or updated by their codes, in one transaction or save. There
/// is one member for five rows of the other cases, and half of the members exist already.
@MainActor enum Upsert {
  private static let name = "upsert"

  /// A member. Its code is unique.
  fileprivate struct Member: Entity {
    var code = ""
    var name = ""
    var score = 0

    static let schema = Schema<Member>("Member") {
      Attribute("code", \.code, unique: true)
      Attribute("name", \.name)
      Attribute("score", \.score)
    }
  }

  static func benchmark(_ fixtures: Fixtures, _ effort: Effort) -> BenchmarkCase {
    let count = fixtures.rows / 5
    return BenchmarkCase(
      suite: .store, name: name, parameters: [Parameter("rows", fixtures.rows)],
      unit: .milliseconds,
      effort: effort, baseline: RawSQLite.name,
      subjects: [
        Subject(name: RawSQLite.name) {
          trial(fixtures, count, RawMembers.init) {
            try $0.upsert($1)
          } end: {
            try $0.end()
          }
        },
        Subject(name: LineageStore.name) {
          trial(fixtures, count) {
            try await SQLiteStore.open(at: $0, [Member.self])
          } upsert: {
            store, members in
            let context = store.makeContext()
            try context.upsert(members, by: \.code) { ($0.name, $0.score) = ($1.name, $1.score) }
            try context.save()
          } end: { store in
            defer { store.close() }
            return try answer(store.makeContext().values(Member.self))
          }
        },
      ],
      bars: fixtures.hasBars
        ? [.ratio(of: LineageStore.name, to: RawSQLite.name, atMost: 2.5)] : [])
  }

  private nonisolated static func answer(_ members: [Member]) -> Answer {
    [
      "members": members.count, "score": members.reduce(0) { $0 + $1.score },
      "bytes": members.reduce(0) { $0 + $1.name.utf8.count },
    ]
  }

  /// Measures the second of two upserts into a new file. The first one inserts every second member.
  private static func trial<Store>(
    _ fixtures: Fixtures, _ count: Int, _ open: @escaping @MainActor (URL) async throws -> Store,
    upsert: @escaping @MainActor (Store, [Member]) throws -> Void,
    end: @escaping @MainActor (Store) throws -> Answer
  ) -> Trial {
    let first = stride(from: 0, to: count, by: 2).map { Member(code: "code \($0)", name: "first") }
    let all = (0..<count).map { Member(code: "code \($0)", name: "member \($0)", score: $0) }
    func filled(_ file: URL) async throws -> Store {
      let store = try await open(file)
      try upsert(store, first)
      return store
    }
    return Trial(
      answer: {
        let store = try await filled(try fixtures.newPlace(URL.self))
        try upsert(store, all)
        return try end(store)
      },
      sample: { iterations in
        var total = 0.0
        for _ in 0..<iterations {
          let file = try fixtures.newPlace(URL.self)
          let store = try await filled(file)
          total += try Stopwatch.nanoseconds(1) { try upsert(store, all) }
          _ = try end(store)
          file.remove()
        }
        return total
      })
  }

  /// A store of members written by hand.
  private final class RawMembers {
    private let connection: RawConnection
    private let statement: RawStatement

    init(_ file: URL) throws {
      connection = try RawConnection(file.path)
      try connection.run(
        """
        CREATE TABLE Member (id INTEGER PRIMARY KEY, code TEXT NOT NULL, name TEXT NOT NULL,
          score INTEGER NOT NULL) STRICT;
        CREATE UNIQUE INDEX Member_code ON Member (code);
        """)
      statement = try connection.prepare(
        """
        INSERT INTO Member (code, name, score) VALUES (?, ?, ?)
          ON CONFLICT (code) DO UPDATE SET name = excluded.name, score = excluded.score
        """)
    }

    func upsert(_ members: [Member]) throws {
      try connection.transaction {
        for member in members {
          statement.bind(member.code, at: 1)
          statement.bind(member.name, at: 2)
          statement.bind(Int64(member.score), at: 3)
          try statement.execute()
        }
      }
    }

    /// Returns the answer, and closes the file.
    func end() throws -> Answer {
      defer { connection.close() }
      let select = try connection.prepare("SELECT code, name, score FROM Member")
      var members: [Member] = []
      while try select.step() {
        members.append(
          Member(
            code: select.text(0), name: select.text(1), score: Int(select.integer(2))))
      }
      return Upsert.answer(members)
    }
  }
}

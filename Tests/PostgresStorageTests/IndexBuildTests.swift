#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

private final class Answer: Sendable {
  let text = Mutex("")
}

private final class Flag: Sendable {
  let isSet = Mutex(false)
}

@Suite("Indexes of a store on a server", .enabled(if: TestServer.isThere), .hangGuard)
struct IndexBuildTests {
  @Test("builds a half-built index again, and refuses rows that it cannot have")
  func halfBuilt() async throws {
    try await NoteStore.with { options in
      try await PostgresStore.open(options, V2.entities).close()
      let complete = try NoteStore.indexes(options)
      let name = "\"\(options.schema)\".\"Note.title\""
      for index in ["Note.title", "Note.stars"] {
        try TestServer.run(
          "UPDATE pg_index SET indisvalid = false, indisready = false"
            + " WHERE indexrelid = '\"\(options.schema)\".\"\(index)\"'::regclass")
      }
      var poor = options
      poor.schemaManagement = .assumeExists
      #expect("\(await NoteStore.opening(poor, V2.entities))".contains("not complete"))
      try await PostgresStore.open(options, V2.entities).close()
      #expect(try NoteStore.indexes(options) == complete)
      let valid = try TestServer.texts(
        "SELECT indisvalid FROM pg_index WHERE indexrelid = '\(name)'::regclass")
      #expect(valid == ["t"])
      try TestServer.run("DROP INDEX \(name)")
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = 'same'")
      guard case .changed(let changes) = await NoteStore.opening(options, V2.entities) else {
        throw Unexpected("not changed")
      }
      #expect(changes.map(\.property) == ["title"])
      #expect(try !NoteStore.indexes(options).contains { $0.contains("Note.title") })
      // A missing table or column is told by the check of the tables.
      try TestServer.run("ALTER TABLE \"\(options.schema)\".\"Note\" DROP COLUMN stars")
      #expect("\(await NoteStore.opening(options, V1.entities))".contains("it is open"))
      try TestServer.run("UPDATE \"\(options.schema)\".\"Note\" SET title = id::text")
      #expect(
        "\(await NoteStore.opening(options, V2.entities))".contains("Note.stars has no column"))
      try TestServer.run("DROP TABLE \"\(options.schema)\".\"Note\" CASCADE")
      #expect("\(await NoteStore.opening(options, V2.entities))".contains("Note has no table"))
    }
  }

  @Test("are waited for while another program builds them, if they are unique")
  func builtByOthers() async throws {
    try await NoteStore.with { options in
      let store = try await PostgresStore.open(options, V2.entities)
      defer { store.close() }
      let schema = "\"\(options.schema)\""
      let builds = [
        "CREATE UNIQUE INDEX CONCURRENTLY \"Note.title\" ON \(schema).\"Note\" (title)",
        "CREATE INDEX CONCURRENTLY \"Note.stars\" ON \(schema).\"Note\" (stars NULLS FIRST, id)",
      ]
      for (build, index) in zip(builds, ["Note.title", "Note.stars"]) {
        try TestServer.run("DROP INDEX \(schema).\"\(index)\"")
        let flag = Flag()
        let building = Mutex<Task<[String], any Error>?>(nil)
        let opening = Mutex<Task<Opening<PostgresStore>, Never>?>(nil)
        try await TestServer.waiting {
          let context = store.makeContext()
          try context.read {
            // The build waits for the moment.
            _ = try context.count(V2.Note.self)
            building.withLock { $0 = TestServer.later(build) }
            let begun =
              "SELECT 1 FROM pg_index WHERE NOT indisvalid AND indexrelid ="
              + " to_regclass('\(schema).\"\(index)\"')"
            // Each read keeps the server from ending the moment, for which the build would not wait then.
            while try TestServer.texts(begun).isEmpty { _ = try context.count(V2.Note.self) }
            opening.withLock {
              $0 = Task.detached {
                let opening = await NoteStore.opening(options, V2.entities)
                flag.isSet.withLock { $0 = true }
                return opening
              }
            }
            if index == "Note.title" {
              Thread.sleep(forTimeInterval: 0.5)
              #expect(!flag.isSet.withLock { $0 })
            } else {
              while !flag.isSet.withLock({ $0 }) {
                Thread.sleep(forTimeInterval: 0.01)
                _ = try context.count(V2.Note.self)
              }
            }
          }
        }
        guard case .ready(let other)? = await opening.withLock({ $0 })?.value else {
          throw Unexpected("no store")
        }
        other.close()
        _ = try await building.withLock { $0 }?.value
      }
    }
  }

  @Test("wait for older transactions, and name them if they last")
  func olderTransaction() async throws {
    try await NoteStore.with { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      var impatient = options
      impatient.statementTimeout = 1
      let refused = Answer()
      try await TestServer.waiting { [impatient] in
        let context = old.makeContext()
        try context.read {
          _ = try context.count(V1.Note.self)
          let done = DispatchSemaphore(value: 0)
          Task.detached {
            let opening = await NoteStore.opening(impatient, V2.entities)
            refused.text.withLock { $0 = "\(opening)" }
            done.signal()
          }
          done.wait()
        }
      }
      #expect(refused.text.withLock { $0 }.contains("keeps an old transaction"))
      try await PostgresStore.open(options, V2.entities).close()
    }
  }
}
#endif

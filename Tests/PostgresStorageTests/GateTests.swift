#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import Synchronization
import Testing

@Suite("The gate of a store on a server", .enabled(if: TestServer.isThere), .hangGuard)
struct GateTests {
  @Test("waits for a kept moment, which sees all rows, and names its process if it lasts")
  func keptMoment() async throws {
    try await NoteStore.with { options in
      var named = options
      named.address += " application_name=keeper"
      let old = try await PostgresStore.open(named, V1.entities)
      defer { old.close() }
      let reached = Mutex(false)
      let retyping = Migration(to: 2, "other type") { store in
        reached.withLock { $0 = true }
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE float8"#)
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE bigint"#)
      }
      var impatient = options
      impatient.statementTimeout = 0.5
      let migration = Mutex<Task<Opening<PostgresStore>, Never>?>(nil)
      let waited = try await TestServer.waiting { [impatient, options] in
        let context = old.makeContext()
        return try context.read {
          #expect(try context.count(V1.Note.self) == 2)
          let refused = Task.detached {
            await PostgresStore.opening(impatient, V1.entities, migrations: [retyping])
          }
          let refusal = "\(Self.result(of: refused))"
          #expect(refusal.contains("process ") && refusal.contains("(keeper)"), "\(refusal)")
          migration.withLock {
            $0 = Task.detached {
              await PostgresStore.opening(options, V1.entities, migrations: [retyping])
            }
          }
          // Others read and write meanwhile.
          let other = old.makeContext()
          try other.insert(V1.Note(title: "c", rank: 3))
          try other.save()
          Thread.sleep(forTimeInterval: 1)
          #expect(try context.fetch(V1.Note.self).map(\.rank).sorted() == [1, 2])
          return !reached.withLock { $0 }
        }
      }
      #expect(waited)
      let outcome = await migration.withLock { $0 }?.value
      guard case .migrated(let store, _)? = outcome else {
        throw Unexpected("\(outcome, default: "")")
      }
      #expect(try store.makeContext().count(V1.Note.self) == 3)
      store.close()
    }
  }

  /// Waits for a task on the calling thread.
  private static func result<Value: Sendable>(of task: Task<Value, Never>) -> Value {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Value?>(nil)
    Task.detached {
      let value = await task.value
      result.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    guard let value = result.withLock({ $0 }) else { fatalError("a task has no result") }
    return value
  }

  @Test("lets a commit wait no longer than its limit for locks")
  func waitingCommit() async throws {
    try await NoteStore.with { options in
      var options = options
      options.lockTimeout = 0.2
      let store = try await PostgresStore.open(options, V1.entities)
      defer { store.close() }
      let context = store.makeContext()
      try context.insert(V1.Note(title: "c", rank: 3))
      let (started, continuation) = AsyncStream<Void>.makeStream()
      let hasEnded = DispatchSemaphore(value: 0)
      let long = Migration(to: 2, "long") { _ in
        continuation.yield()
        hasEnded.wait()
      }
      let task = Task.detached { [options] in
        await PostgresStore.opening(options, V1.entities, migrations: [long])
      }
      for await _ in started { break }
      let error = #expect(throws: GraphError.self) { try context.save() }
      guard case .timeout(seconds: 0.2)? = error?.reason else {
        throw Unexpected("\(error, default: "")")
      }
      hasEnded.signal()
      await task.value.store?.close()
    }
  }

  @Test("is reached although contexts read again and again in their moments")
  func restlessReaders() async throws {
    try await NoteStore.with { options in
      let old = try await PostgresStore.open(options, V1.entities)
      defer { old.close() }
      let reading = Task.detached {
        try await onOwnThread { cancellation in
          Result {
            let contexts = (0..<3).map { _ in old.makeContext() }
            while !cancellation.isCancelled {
              for context in contexts { _ = try context.count(V1.Note.self) }
              Thread.sleep(forTimeInterval: 0.02)
            }
          }
        }.get()
      }
      let opening = await NoteStore.opening(options, V2.entities)
      reading.cancel()
      try await reading.value
      guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
      store.close()
    }
  }

  @Test("keeps moments from beginning while a table is rewritten, so that they see all rows")
  func momentMeanwhile() async throws {
    try await NoteStore.with { options in
      let own = "\"\(options.schema)_lineage\""
      let table = "\"\(options.schema)\".\"Note\""
      let reading = Mutex<Task<[String], any Error>?>(nil)
      let step = Migration(to: 2, "rewrite") { store in
        // A moment begins with these statements.
        reading.withLock {
          $0 = TestServer.later(
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL lock_timeout = 10000;"
              + " LOCK TABLE \(own).state IN ACCESS SHARE MODE; SELECT count(*) FROM \(table)")
        }
        while try TestServer.texts(
          "SELECT 1 FROM pg_locks WHERE NOT granted AND relation ="
            + " '\(own).state'::regclass"
        ).isEmpty {}
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE numeric"#)
        try store.execute(#"ALTER TABLE "Note" ALTER COLUMN rank TYPE bigint"#)
      }
      try await PostgresStore.open(options, V1.entities, migrations: [step]).close()
      #expect(try await reading.withLock { $0 }?.value == ["2"])
    }
  }

  @Test("names the process of another kind of program that keeps a table")
  func foreignLock() async throws {
    try await NoteStore.with { options in
      let table = "\"\(options.schema)\".\"Note\""
      // It keeps no snapshot, for which builds of indexes in other tests would wait.
      let reporter = try ChildProcess(
        "/usr/bin/psql", ["-X", "-q", options.address + " application_name=reporter"])
      try reporter.say("BEGIN; LOCK TABLE \(table) IN ACCESS SHARE MODE;")
      let process = "SELECT pid FROM pg_locks WHERE granted AND relation = '\(table)'::regclass"
      try await TestServer.waiting { while try TestServer.texts(process).isEmpty {} }
      var impatient = options
      impatient.statementTimeout = 0.5
      let number = try TestServer.texts(process)
      let step = Migration(to: 2, "nothing") { _ in }
      let refused = await NoteStore.opening(impatient, V1.entities, [step])
      #expect("\(refused)".contains("process \(number[0]) (reporter)"), "\(refused)")
      reporter.kill()
      let opening = await NoteStore.opening(options, V1.entities, [step])
      guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
      store.close()
    }
  }

  @Test("opens again if the program that keeps it is killed, and nothing has changed")
  func killed() async throws {
    try await NoteStore.with { options in
      let whole = try NoteStore.everything(options)
      let dying = Migration(to: 2, "dies") { store in
        try store.execute(#"UPDATE "Note" SET rank = 100"#)
        guard case .integer(let process) = try store.rows("SELECT pg_backend_pid()")[0][0] else {
          return
        }
        try TestServer.run("SELECT pg_terminate_backend(\(process))")
        try store.execute(#"UPDATE "Note" SET rank = 200"#)
      }
      let failed = await NoteStore.opening(options, V1.entities, [dying])
      guard case .failed = failed else { throw Unexpected(failed) }
      #expect(try NoteStore.everything(options) == whole)
      let opening = await NoteStore.opening(options, V3.entities, V3.steps)
      guard case .migrated(let store, _) = opening else { throw Unexpected(opening) }
      store.close()
    }
  }
}
#endif

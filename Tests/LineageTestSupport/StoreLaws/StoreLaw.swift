package import ObjectGraph

/// A rule that each store must keep, with a test. The test needs an empty store with ``entities``.
///
/// ```swift
/// @Test("Laws of stores", arguments: StoreLaw.all)
/// func law(_ law: StoreLaw) throws { try law.check(MemoryStore(StoreLaw.entities)) }
/// ```
package struct StoreLaw: Sendable, CustomStringConvertible {
  /// The law as a sentence.
  package let description: String
  private let body: @Sendable (StoreUnderTest) throws -> Void

  init(_ description: String, _ body: @escaping @Sendable (StoreUnderTest) throws -> Void) {
    self.description = description
    self.body = body
  }

  package static let entities: [any Entity.Type] = [
    Sample.self, Group.self, Badge.self, Seat.self,
  ]

  package static let all =
    reading + kinds + random + figures + conflicts + checks + rules + news + receipts

  /// Checks an empty store whose entities are ``entities``. Throws an error if the store breaks the
  /// law.
  package func check(_ store: any ObjectStore) throws { try body(StoreUnderTest(store: store)) }
}

/// The error that a law throws if a store breaks it.
struct BrokenLaw: Error, CustomStringConvertible {
  let description: String
}

/// A store with the functions that the laws call.
struct StoreUnderTest {
  let store: any ObjectStore
  var model: Model { store.model }

  func commit(_ writes: Write..., from inbox: Inbox? = nil) throws {
    try store.commit(writes, from: inbox)
  }

  /// Returns the row with the id, read by a new reader; nil if there is no such row.
  func value<Value: Entity>(_ id: Ref<Value>) throws -> Value? {
    let reader = try store.makeReader()
    defer { reader.end() }
    return try reader.value(id, in: model)
  }

  func query<Value: Entity>(_ request: FetchRequest<Value>) throws -> Query {
    try request.query(in: model)
  }

  func expect(_ isTrue: Bool, _ claim: String, line: Int = #line) throws {
    if !isTrue { throw BrokenLaw(description: "line \(line): not \(claim)") }
  }

  func expectEqual<Value: Equatable>(_ one: Value, _ other: Value, line: Int = #line) throws {
    if one != other { throw BrokenLaw(description: "line \(line): \(one) is not \(other)") }
  }

  /// Returns the conflict that a closure throws. Throws an error if there is none.
  func conflict(line: Int = #line, _ body: () throws -> Void) throws -> CommitConflict {
    do {
      try body()
    } catch let conflict as CommitConflict {
      return conflict
    }
    throw BrokenLaw(description: "line \(line): no conflict")
  }

  /// Returns the reason of the `GraphError` that a closure throws. Throws an error if there is
  /// none.
  func refusal(line: Int = #line, _ body: () throws -> Void) throws -> GraphError.Reason {
    do {
      try body()
    } catch let error as GraphError {
      return error.reason
    }
    throw BrokenLaw(description: "line \(line): not refused")
  }
}

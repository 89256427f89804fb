import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("A process has a file open once") struct SharingTests {
  private let folder: Drawer
  private let entities: [any Entity.Type] = [Item.self, Box.self]

  init() throws { folder = try Drawer() }

  @Test("The second opening gives the first's store, also through links")
  func links() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    let symbolic = folder.url.appending(path: "symbolic")
    let hard = folder.url.appending(path: "hard")
    try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: folder.file())
    try FileManager.default.linkItem(at: folder.file(), to: hard)
    for url in [folder.file(), symbolic, hard] {
      #expect(try await SQLiteStore.open(at: url, entities) === store)
    }
  }

  @Test("Also a link that leads to no file yet") func dangling() async throws {
    let symbolic = folder.url.appending(path: "symbolic")
    try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: folder.file())
    let store = try await SQLiteStore.open(at: symbolic, entities)
    #expect(try await SQLiteStore.open(at: folder.file(), entities) === store)
  }

  @Test(
    "Openings at the same time give one store, of a new file and of an old one", arguments: 0..<5)
  func together(_: Int) async throws {
    let symbolic = folder.url.appending(path: "symbolic")
    try FileManager.default.createSymbolicLink(at: symbolic, withDestinationURL: folder.file())
    for _ in 0..<2 {
      let stores = try await withThrowingTaskGroup(of: SQLiteStore.self) { group in
        for index in 0..<8 {
          let url = index.isMultiple(of: 2) ? symbolic : folder.file()
          group.addTask { try await SQLiteStore.open(at: url, [Item.self, Box.self]) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(stores.map { ObjectIdentifier($0) }).count == 1)
      stores.first?.close()
    }
  }

  @Test("With another schema it is a typed error") func otherSchema() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    let opening = await SQLiteStore.opening(
      at: folder.file(), [Box.self, Item.self, Sample.self, Group.self])
    guard case .otherSchema = opening else { throw Unexpected(opening) }
    #expect(try await SQLiteStore.open(at: folder.file(), [Box.self, Item.self]) === store)
  }

  @Test("Nobody keeps a store alive; closed or released, the file opens again")
  func weak() async throws {
    var store: SQLiteStore? = try await SQLiteStore.open(at: folder.file(), entities)
    weak let released = store
    store = nil
    #expect(released == nil)
    let next = try await SQLiteStore.open(at: folder.file(), entities)
    next.close()
    let last = try await SQLiteStore.open(at: folder.file(), entities)
    #expect(last !== next)
    #expect(try last.itemCount() == 0)
  }

  @Test("After close all is a typed error, and what was open ends") func closed() async throws {
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.insert(1...100)
    let reader = try store.makeReader()
    let cursor = try reader.cursor(Query(entity: 0))
    #expect(try cursor.next() == 1)
    store.close()
    func isClosed(_ body: () throws -> Void) -> Bool {
      do { try body() } catch let error as GraphError {
        if case .closed = error.reason { return true }
      } catch {}
      return false
    }
    #expect(isClosed { _ = try cursor.next() })
    #expect(isClosed { _ = try reader.ids(Query(entity: 0)) })
    #expect(isClosed { _ = try store.makeReader() })
    #expect(isClosed { try store.insert(101...101) })
    #expect(isClosed { try store.postForeignCommits() })
    await #expect(throws: GraphError.self) { _ = try await store.check() }
    let again = try await SQLiteStore.open(at: folder.file(), entities)
    #expect(try again.itemCount() == 100)
  }
}

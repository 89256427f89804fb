import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Synchronization
import Testing

#if os(Linux)
/// While it is set, the system seems to have no hard links.
private let hasNoLinks = Atomic(false)

/// Replaces the C library's function in the test program.
@_cdecl("link") public func linkUnlessRefused(
  _ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>
) -> Int32 {
  if hasNoLinks.load(ordering: .relaxed) {
    errno = EPERM
    return -1
  }
  return linkat(AT_FDCWD, old, AT_FDCWD, new, 0)
}
#endif

@Suite("Openings and ends at once", .serialized) struct RaceTests {
  private let folder: Drawer
  private static let entities: [any Entity.Type] = [Item.self, Box.self]

  private struct Shelf: Entity {
    var number = 0
    static let schema = Schema<Shelf>("Shelf") { Attribute("number", \.number) }
  }

  init() throws { folder = try Drawer() }

  @Test("An opening with fewer entities that has made the file is not given a store of others")
  func createdOther() async throws {
    var wrong: [String] = []
    for round in 0..<150 {
      let file = folder.file("f\(round)")
      let openings = await withTaskGroup(of: (Int, Opening<SQLiteStore>).self) { group in
        for index in 0..<6 {
          group.addTask {
            let entities: [any Entity.Type] =
              index % 2 == 0 ? [Item.self, Box.self] : [Item.self, Box.self, Shelf.self]
            return (index % 2, await SQLiteStore.opening(at: file, entities))
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for (kind, opening) in openings {
        guard let store = opening.store else { continue }
        if store.model.layouts.count != 2 + kind {
          wrong.append("\(round) wanted \(2 + kind) entities: \(opening)")
        }
      }
      openings.first { $0.1.store != nil }?.1.store?.close()
    }
    #expect(wrong == [])
  }

  @Test("An opening that has made the file, and is given a read-only store, says so")
  func createdReadOnly() async throws {
    var wrong: [String] = []
    for round in 0..<150 {
      let file = folder.file("f\(round)")
      let isDone = Flag()
      let openings = await withTaskGroup(of: Opening<SQLiteStore>.self) { group in
        for _ in 0..<3 {
          group.addTask {
            while true {
              let opening = await SQLiteStore.opening(
                at: file, Self.entities, options: StoreOptions(isReadOnly: true))
              if opening.store != nil || isDone.isRaised { return opening }
            }
          }
        }
        group.addTask {
          let opening = await SQLiteStore.opening(at: file, Self.entities)
          isDone.raise()
          return opening
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for opening in openings {
        guard case .created(let store) = opening else { continue }
        do { try store.insert(1...1) } catch {
          wrong.append("\(round): created, and then \(error)")
        }
      }
      for opening in openings { opening.store?.close() }
    }
    #expect(wrong == [])
  }

  #if os(Linux)
  @Test("Without hard links, tasks that open a missing path get one store, and no save is lost")
  func noHardLinks() async throws {
    hasNoLinks.store(true, ordering: .relaxed)
    defer { hasNoLinks.store(false, ordering: .relaxed) }
    var wrong: [String] = []
    for round in 0..<40 {
      let file = folder.file("f\(round)")
      let stores = await withTaskGroup(of: SQLiteStore?.self) { group in
        for index in 0..<8 {
          group.addTask {
            let opening = await SQLiteStore.opening(at: file, [Item.self, Box.self])
            if let store = opening.store {
              do { try store.insert((index * 10)...(index * 10)) } catch { print(error) }
            }
            return opening.store
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }.compactMap { $0 }
      if Set(stores.map { ObjectIdentifier($0) }).count != 1 {
        wrong.append("\(round): \(Set(stores.map { ObjectIdentifier($0) }).count) stores")
      }
      for store in stores { store.close() }
      let again = try await SQLiteStore.open(at: file, Self.entities)
      let count = try again.itemCount()
      if count != stores.count { wrong.append("\(round): \(count) of \(stores.count) saves") }
      again.close()
    }
    #expect(wrong == [])
  }
  #endif

  @Test("Many new files in one folder at once are all made") func manyFiles() async throws {
    let folder = folder
    var wrong: [String] = []
    for round in 0..<80 {
      let openings = await withTaskGroup(of: Opening<SQLiteStore>.self) { group in
        for index in 0..<24 {
          group.addTask {
            await SQLiteStore.opening(at: folder.file("f\(round)-\(index)"), [Shelf.self])
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      for opening in openings {
        if case .created(let store) = opening { store.close() } else { wrong.append("\(opening)") }
      }
    }
    #expect(wrong == [])
  }

  @Test("close() during background work, backups, checks, saves and openings", arguments: 0..<12)
  func closing(_ round: Int) async throws {
    let file = folder.file()
    let first = try await SQLiteStore.open(at: file, Self.entities)
    try first.insert(1...2000)
    let target = folder.url
    await withTaskGroup(of: Void.self) { group in
      func allows(_ body: () async throws -> Void) async {
        do { try await body() } catch let error as GraphError {
          if case .closed = error.reason { return }
          Issue.record(error)
        } catch { Issue.record(error) }
      }
      group.addTask {
        for number in 0..<50 {
          await allows {
            try await first.background { context, _ in
              try context.insert(Item(name: "b\(number)"))
            }
          }
        }
      }
      group.addTask {
        for number in 0..<5 {
          await allows { try await first.backup(to: target.appending(path: "b\(number)")) }
        }
      }
      group.addTask {
        for _ in 0..<5 {
          await allows {
            let damages = try await first.check()
            #expect(damages == [])
          }
        }
      }
      group.addTask {
        for id in 3000..<3050 { await allows { try first.insert(id...id) } }
      }
      for _ in 0..<3 {
        group.addTask {
          await allows {
            let reader = try first.makeReader()
            for _ in 0..<20 {
              let cursor = try reader.cursor(Query(entity: 0))
              while try cursor.next() != nil {}
              reader.end()
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<20 {
          let opening = await SQLiteStore.opening(at: file, Self.entities)
          guard let store = opening.store else {
            Issue.record("\(opening)")
            continue
          }
          await allows { _ = try store.itemCount() }
        }
      }
      group.addTask {
        usleep(UInt32(round * 3000))
        first.close()
      }
    }
    let again = try await SQLiteStore.open(at: file, Self.entities)
    #expect(again !== first)
    #expect(try again.itemCount() >= 2000)
    #expect(try await again.check() == [])
    again.close()
    #expect(try folder.sqlite3("PRAGMA integrity_check") == "ok")
  }

  @Test("close() with cursors of several contexts; they end, and the file opens at once")
  func closingCursors() async throws {
    for _ in 0..<20 {
      let store = try await SQLiteStore.open(at: folder.file(), Self.entities)
      if try store.itemCount() == 0 { try store.insert(1...500) }
      let readers = try (0..<12).map { _ in try store.makeReader() }
      let cursors = try readers.flatMap { reader in
        try (0..<3).map { _ in try reader.cursor(Query(entity: 0)) }
      }
      for cursor in cursors { #expect(try cursor.next() == 1) }
      for reader in readers.prefix(4) { reader.end() }
      let closed = Thread { store.close() }
      closed.start()
      while !closed.isFinished { usleep(500) }
      for cursor in cursors { #expect(throws: GraphError.self) { try cursor.next() } }
      let again = try await SQLiteStore.open(
        at: folder.file(), Self.entities, options: StoreOptions(timeout: 0.2))
      #expect(again !== store)
      // The cursors are retained.
      for cursor in cursors {
        #expect(try cursor.next() == nil)
        cursor.close()
      }
      #expect(try folder.sqlite3("SELECT count(*) FROM Item") == "500")
      #expect(try again.itemCount() == 500)
      again.close()
    }
  }

  @Test("A store that is released, not closed, while a context has an idle moment")
  func released() async throws {
    for _ in 0..<20 {
      var store: SQLiteStore? = try await SQLiteStore.open(at: folder.file(), Self.entities)
      var context = store?.makeContext()
      let count = try context?.count(Item.self) ?? -1
      store = nil
      let same = try await SQLiteStore.open(at: folder.file(), Self.entities)
      try same.insert((count * 2 + 1)...(count * 2 + 1))
      try context?.merge()
      #expect(try context?.count(Item.self) == count + 1)
      let cursor = try same.makeReader().cursor(Query(entity: 0))
      _ = try cursor.next()
      context = nil
    }
    let last = try await SQLiteStore.open(
      at: folder.file(), Self.entities, options: StoreOptions(timeout: 0.5))
    #expect(try last.itemCount() == 20)
  }
}

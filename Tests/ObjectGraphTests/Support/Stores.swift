import Foundation
import LineageTestSupport
import ObjectGraph
import PostgresStorage
import SQLiteStorage
import Testing

/// The kinds of stores. A test runs with each of them, except ``poor``, which random programs use.
enum Stores: String, Sendable {
  case memory, sqlite
  /// A server, if the tests have one.
  case server
  /// A file with a dialect that can say nothing but equality.
  case poor

  static let all = [Stores.memory, .sqlite] + (serverAddress == nil ? [] : [.server])

  /// The address of the server that `.ci/postgres` has started; nil if there is none.
  static var serverAddress: String? {
    #if Postgres
    ProcessInfo.processInfo.environment["LINEAGE_POSTGRES"]
    #else
    nil
    #endif
  }

  /// Opens an empty store.
  func open(_ entities: [any Entity.Type] = Library.entities) async throws -> OpenStore {
    switch self {
    case .memory:
      return OpenStore(try MemoryStore(entities), entities, nil)
    case .sqlite, .poor:
      let url = try Folder.fresh().appendingPathComponent("store.sqlite")
      let store = try await SQLiteStore.open(at: url, entities)
      return OpenStore(self == .poor ? PoorStore(store) : store, entities, url)
    case .server:
      #if Postgres
      var options = PostgresOptions(Self.serverAddress ?? "")
      options.schema = "s\(UUID().uuidString.lowercased())"
      options.maximumConnections = 4
      return OpenStore(try await PostgresStore.open(options, entities), entities, nil)
      #else
      preconditionFailure("there is no server without the trait")
      #endif
    }
  }
}

/// An open store of a test.
final class OpenStore {
  private(set) var store: any ObjectStore
  private let entities: [any Entity.Type]
  /// The store's file; nil if the store is in memory.
  let url: URL?

  init(_ store: any ObjectStore, _ entities: [any Entity.Type], _ url: URL?) {
    self.store = store
    self.entities = entities
    self.url = url
  }

  /// Creates a root context. A fault that the context reports is an issue of the test.
  func makeContext() -> ObjectContext {
    let context = ObjectContext(store: store)
    context.onError = { fault in
      if case .ended = fault.reason { return }
      Issue.record("\(fault)")
    }
    return context
  }

  /// Closes a store on disk and opens it again, as another program would. A store in memory stays
  /// open.
  func reopen() async throws {
    guard let url else { return }
    (store as? SQLiteStore)?.close()
    store = try await SQLiteStore.open(at: url, entities)
  }
}

/// Folders for the files of tests. They are deleted when the process ends, because contexts may
/// outlive their tests.
enum Folder {
  private static let all: URL = {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("lineage-graph-\(UUID().uuidString)")
    atexit { try? FileManager.default.removeItem(at: Folder.all) }
    return folder
  }()

  static func fresh() throws -> URL {
    let folder = all.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }
}

import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Drafts whose makers are gone", .serialized) struct DraftTests {
  private let folder: Drawer

  init() throws { folder = try Drawer() }

  private var drafts: [String] {
    get throws { try folder.names.filter { $0.contains("-new-") && $0.last?.isNumber == true } }
  }

  @Test("The next backup removes the draft of a killed one, not that of one under way")
  func backups() async throws {
    let entities: [any Entity.Type] = [Sample.self, Group.self]
    let store = try await SQLiteStore.open(at: folder.file(), entities)
    try store.commit(
      (1...20_000).map { .insert(Ref<Group>(key: Int64($0)), Group(), in: store.model) },
      from: nil)
    let probe = try OtherProcess.probe("backups", folder.file().path)
    #expect(probe.waits(for: "."))
    let id = try #require(probe.said.split { !$0.isNumber }.first.flatMap { pid_t($0) })
    // The probe makes one backup after another, so a stop is nearly always in the middle of one.
    repeat {
      kill(id, SIGCONT)
      usleep(500)
      kill(id, SIGSTOP)
      // `waitpid` returns when the probe has stopped.
      var status: Int32 = 0
      waitpid(id, &status, WUNTRACED)
    } while try drafts.isEmpty
    let draft = try #require(try drafts.first)
    try await store.backup(to: folder.url.appending(path: "one"))
    #expect(try drafts == [draft])
    probe.kill()
    #expect(try drafts == [draft])
    // A file that only has a similar name must stay.
    let foreign = folder.url.appending(path: "notes-new-1-2")
    try Data("notes".utf8).write(to: foreign)
    try await store.backup(to: folder.url.appending(path: "two"))
    #expect(try folder.names.filter { $0.contains("-new-") } == ["notes-new-1-2"])
  }
}

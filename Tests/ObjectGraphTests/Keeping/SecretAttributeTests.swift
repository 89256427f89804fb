import LineageTestSupport
import ObjectGraph
import Testing

@Suite("An attribute outside of archived state")
struct SecretAttributeTests {
  private func restart(_ stores: Stores) async throws -> (Restart, Ref<Account>) {
    let restart = try await Restart(stores)
    let account = try restart.root.insert(Account(name: "n", password: "secret", tokens: ["t"]))
    try restart.root.save()
    return (restart, account.id)
  }

  /// Checks that no value of the kept changes has a secret.
  private func check(_ edits: [KeptEdit]) throws {
    let arena = CellArena(capacity: 1_024)
    for edit in edits {
      #expect(edit.columns.contains(0) && !edit.columns.contains(1) && !edit.columns.contains(2))
      for box in [edit.value, edit.base, edit.origin].compactMap(\.self) {
        #expect(try box.cell(of: 1, in: arena).stored == .text("none"))
        #expect(try box.cell(of: 2, in: arena).stored == .text("[]"))
      }
    }
  }

  @Test(
    "Its edit does not come back, and an object with no other edit is not kept",
    arguments: Stores.all)
  func updated(_ stores: Stores) async throws {
    let (restart, id) = try await restart(stores)
    let account = try restart.child.object(with: id)
    account.password = "new secret"
    #expect(restart.child.keptEdits.isEmpty && restart.child.hasUnsavedChanges)
    (account.name, account.tokens) = ("m", ["new token"])
    try restart.commit { context, _ in
      let theirs = try context.object(with: id)
      (theirs.name, theirs.password) = ("o", "their secret")
    }
    try restart.root.merge()
    #expect(restart.child.keptEdits.count == 1)
    try check(restart.child.keptEdits)
    try await restart.restart()
    let again = try restart.child.object(with: id)
    #expect(again.value.password == "their secret" && again.tokens == ["t"] && again.name == "m")
    #expect(again.changes.properties == ["name"])
    #expect(properties { try restart.child.save() } == [["name"]])
    restart.child.discard()
  }

  @Test("A new object comes back with its initial value", arguments: Stores.all)
  func new(_ stores: Stores) async throws {
    let (restart, _) = try await restart(stores)
    let account = try restart.child.insert(Account(name: "m", password: "secret", tokens: ["t"]))
    try check(restart.child.keptEdits)
    try await restart.restart()
    let again = try restart.child.object(with: account.id)
    #expect(again.name == "m" && again.password == "none" && again.tokens.isEmpty)
    restart.child.discard()
  }

  @Test("A deletion is not checked by it, because its base is unknown", arguments: Stores.all)
  func deleted(_ stores: Stores) async throws {
    for isSecret in [true, false] {
      let (restart, id) = try await restart(stores)
      try restart.child.delete(restart.child.object(with: id))
      try check(restart.child.keptEdits)
      try restart.commit { context, _ in
        let theirs = try context.object(with: id)
        if isSecret { theirs.password = "their secret" } else { theirs.name = "o" }
      }
      try await restart.restart()
      #expect(try restart.child.find(id) == nil)
      #expect((properties { try restart.child.save() } == nil) == isSecret)
      (isSecret ? restart.root : restart.child).discard()
      #expect(try restart.root.object(with: id).password == (isSecret ? "their secret" : "secret"))
    }
  }

  @Test(
    "An object that others have deleted comes back with its initial value", arguments: Stores.all)
  func editedAndDeleted(_ stores: Stores) async throws {
    let (restart, id) = try await restart(stores)
    try restart.child.object(with: id).name = "m"
    try restart.commit { context, _ in try context.delete(context.object(with: id)) }
    try await restart.restart()
    let again = try restart.child.object(with: id)
    #expect(again.name == "m" && again.password == "none")
    restart.child.discard()
  }
}

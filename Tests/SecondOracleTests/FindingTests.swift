import Foundation
import Lineage
import LineageEditProbe
import LineageTestSupport
import ObjectGraph
import ResponderChain
import StateRestoration
import Testing

/// The promises of the article *Unfinished edits* that the library did not keep, and limits of them.
@Suite("Findings about unfinished edits", .hangGuard)
@MainActor
struct FindingTests {
  private let theatre: Theatre

  init() throws { theatre = try Theatre() }

  private func typed() throws -> Ref<Page> {
    let id = try theatre.commit { try $0.insert(Page()).id }
    try theatre.run { scene throws in
      try scene.context.object(with: id).text = "typed"
      try scene.restoration.save()
    }
    return id
  }

  /// Restores a new object that is there already, and is not another one with its id.
  @Test func newObjectIsRestoredInItsOwnProcess() throws {
    let id = try theatre.run { scene throws in
      let id = try scene.context.insert(Page(title: "new")).id
      let archive = scene.restoration.archive(of: scene.application)
      scene.restoration.restore(archive, into: scene.application)
      #expect(scene.report == "")
      try scene.context.saveAll()
      try scene.restoration.save()
      return id
    }
    try theatre.commit { try $0.delete($0.object(with: id)) }
    try theatre.run { scene throws in
      let isKept = try scene.context.find(id) == nil
      #expect(isKept)
    }
  }

  @Test func leavingKeepsWhatWasLeftOut() throws {
    let id = try theatre.run { scene throws in
      let id = try scene.context.insert(Page(title: "mine")).id
      try scene.restoration.save()
      return id
    }
    try theatre.commit { try $0.insert(Object(Page(title: "theirs"), id: id)) }
    try theatre.run { scene throws in
      #expect(scene.report.contains("idTaken"))
      #expect(throws: UnsavedChanges.self) { try scene.screen.leave(.save) }
      try scene.restoration.save()
    }
    try theatre.commit { try $0.delete($0.object(with: id)) }
    try theatre.run { scene throws in
      let isKept = try scene.context.find(id) != nil
      #expect(isKept)
    }
  }

  @Test func leavingKeepsWhatWasNotRestored() throws {
    let id = try typed()
    try theatre.run(lockError: ENOSPC) { scene throws in
      #expect(!scene.context.hasUnsavedChanges)
      #expect(throws: UnsavedChanges.self) { try scene.screen.leave(.save) }
      try scene.restoration.save()
    }
    try theatre.run { scene throws in
      let isKept = try scene.context.object(with: id).text == "typed"
      #expect(isKept)
    }
  }

  /// Keeps nothing of a branch if a value cannot be archived, and names its object.
  @Test func oneValueCostsAllEdits() throws {
    let id = try typed()
    try theatre.run { scene throws in
      let page = try scene.context.insert(Page(number: .nan))
      try scene.restoration.save()
      #expect(scene.report.contains("\(page.id) is not a number"))
    }
    try theatre.run { scene throws in
      let isKept = try scene.context.object(with: id).text == "typed"
      #expect(!isKept)
    }
  }

  /// Edits large data. Its old value counts, too.
  @Test func largeData() throws {
    let id = try theatre.commit { try $0.insert(Page(data: Data(count: 600_000))).id }
    try theatre.run { scene throws in
      try scene.context.object(with: id).data = Data(repeating: 1, count: 600_000)
      try scene.restoration.save()
    }
    try theatre.run { scene throws in
      #expect(!scene.context.hasUnsavedChanges)
    }
  }

  /// Discards an edit above. Its receipt counts.
  @Test func reportOfADiscardedEdit() throws {
    let id = try theatre.commit { try $0.insert(Page()).id }
    try theatre.run(2) { scene throws in
      try scene.context.object(with: id).text = "typed"
      try scene.restoration.save()
      try scene.context.save()
      scene.contexts[0].discard()
      try scene.context.object(with: id).title = "other"
      try scene.context.saveAll()
    }
    try theatre.run(2) { scene throws in
      #expect(try scene.context.object(with: id).text == "")
      #expect(scene.report.contains("saved, or dropped above"))
    }
  }

  /// Adds restored edits to unsaved ones, and saves all of them.
  @Test(arguments: [false, true])
  func receiptsOfJoinedEdits(isSavedBetween: Bool) throws {
    let (one, two) = try theatre.commit { context in
      (try context.insert(Page()).id, try context.insert(Page()).id)
    }
    let other = try Theatre()
    other.store = theatre.store
    let archive = try other.run { scene throws in
      try scene.context.object(with: one).text = "one"
      return scene.restoration.archive(of: scene.application)
    }
    try theatre.run { scene throws in
      try scene.context.object(with: two).text = "two"
      try scene.restoration.save()
      scene.restoration.restore(archive, into: scene.application)
      if isSavedBetween {
        try scene.context.save()
        try scene.context.object(with: two).title = "more"
      }
      try scene.context.saveAll()
    }
    try theatre.run { scene throws in
      #expect(try scene.context.object(with: two).changes.isEmpty)
    }
    // The archive that was restored must not come back, either.
    try theatre.run { scene throws in
      scene.restoration.restore(archive, into: scene.application)
      #expect(!scene.context.hasUnsavedChanges)
    }
  }
}

import Testing

/// Tests of the oracle alone, by the programs that once found faults. The oracle must obey the laws
/// before the library is compared with it.
@Suite("The oracle obeys laws 1 to 5 of an edit")
struct LawTableTests {
  private typealias Mine = Laws.Mine

  /// Creates a world with one person in the store. Contexts 0 and 1 are roots, 2 is a child of 0,
  /// and 3 is a child of 2.
  private static func world(_ points: Int = 5) -> Laws.World {
    Laws.World(
      Laws.Setting(
        rows: [.person(points)], holdsAll: true, recordsUndo: [true, true, true, true],
        lists: [[], [], [], []]))
  }

  private func points(_ world: Laws.World, _ context: Int) -> Int? {
    world.shown(1, in: context)?[.points]
  }

  private func set(_ points: Int, _ context: Int) -> Laws.Step { .set(context, 1, .points, points) }

  /// Performs steps and returns the outcome of the last one. If a step has several possible
  /// results, the first result is used.
  @discardableResult
  private func perform(_ world: inout Laws.World, _ steps: Laws.Step...) -> Laws.Outcome {
    var outcome = Laws.Outcome()
    for step in steps {
      guard let possibility = world.performing(step).first else { continue }
      (world, outcome) = (possibility.world, possibility.outcome)
    }
    return outcome
  }

  @Test("Law 3: two contexts add the same, and the second save is a conflict")
  func sameAddition() {
    var world = Self.world()
    perform(&world, set(6, 0), set(6, 1), .save(0))
    #expect(perform(&world, .save(1)).failures == [.conflict])
    #expect(points(world, 1) == 6)
    #expect(world.store[1]?[.points] == 6)
  }

  @Test("Law 3: a contested property that is set back is a conflict, and mine is stored")
  func setBackAfterLearning() {
    var world = Self.world(6)
    perform(&world, set(7, 0), set(7, 1), .save(0), .merge(1), set(6, 1))
    #expect(points(world, 1) == 6)
    #expect(world.hasUnsavedChanges(1))
    #expect(perform(&world, .save(1)).reported == [1: [.points]])
    perform(&world, .policy(1, .mine), .save(1))
    #expect(world.store[1]?[.points] == 6)
    #expect(points(world, 1) == 6)
  }

  @Test("Law 3: a child's contested property stays its own until a policy decides")
  func childKeepsItsOwn() {
    var world = Self.world()
    perform(&world, set(8, 0), set(8, 2))
    #expect(!world.hasUnsavedChanges(2))
    perform(&world, .discard(0), set(8, 2), set(8, 0), set(6, 2))
    #expect(points(world, 2) == 6)
    #expect(perform(&world, .save(2)).failures == [.conflict])
    #expect(points(world, 2) == 6)
    #expect(points(world, 0) == 8)
  }

  @Test("Law 1: an object that was set to its own value hears of its deletion", arguments: [0, 2])
  func ownValueAndDeletion(_ context: Int) {
    var world = Self.world()
    perform(&world, set(5, context), set(6, context), set(5, context), .delete(1, 1), .save(1))
    perform(&world, .merge(0))
    #expect(world.shown(in: context).isEmpty)
    #expect(world.contexts[context].gone == [1])
    #expect(perform(&world, .save(context)).failures.isEmpty)
  }

  @Test("Law 1: a child's copy that was assigned its own value follows")
  func ownValueFollows() {
    var world = Self.world()
    perform(&world, set(5, 2), set(7, 0))
    #expect(points(world, 2) == 7)
    #expect(points(world, 3) == 7)
  }

  @Test("Law 4: a save of its own does not mix in what others committed")
  func twoStates() {
    var world = Self.world()
    perform(&world, .insert(0, 2, .person()), set(7, 1), .save(1), .save(0))
    #expect(points(world, 0) == 5)
    perform(&world, .merge(0))
    #expect(points(world, 0) == 7)
  }

  @Test("Law 4: a child's save that fails changes nothing")
  func failedChildSave() {
    var world = Self.world()
    perform(&world, .insert(0, 2, .person()), set(1, 2), .delete(2, 2))
    perform(&world, set(2, 0), .set(0, 1, .name, 1))
    let before = world
    #expect(perform(&world, .save(2)).failures == [.conflict])
    #expect(world == before)
    #expect(world.shown(2, in: 2) == nil)
    #expect(world.shown(2, in: 0) != nil)
  }

  @Test("Law 1: an edit that was set back before the context learned follows")
  func setBackBefore() {
    var world = Self.world()
    perform(&world, set(6, 0), set(5, 0), set(7, 1), .save(1), .merge(0))
    #expect(points(world, 0) == 7)
    #expect(!world.hasUnsavedChanges(0))
  }

  @Test("Law 3: two deletions, and references that rules emptied on both sides, are no conflicts")
  func noConflicts() {
    var world = Laws.World(
      Laws.Setting(
        rows: [.person(), .person().with(.friend, 1)], holdsAll: true,
        recordsUndo: [false, false, false, false], lists: [[], [], [], []]))
    perform(&world, .delete(0, 1), .delete(1, 1))
    #expect(perform(&world, .save(0)).failures.isEmpty)
    #expect(perform(&world, .save(1)).failures.isEmpty)
    #expect(world.store == [2: .person()])
  }

  @Test("Law 3: a reference that rules emptied for the deletions of two objects is a conflict")
  func emptiedForTwo() {
    var world = Laws.World(
      Laws.Setting(
        rows: [.person(), .person(), .person().with(.friend, 1)], holdsAll: true,
        recordsUndo: [false, false, false, false], lists: [[], [], [], []]))
    perform(&world, .set(2, 3, .friend, 2), .delete(2, 2), .delete(0, 1))
    #expect(perform(&world, .save(2)).reported == [3: [.friend]])
  }

  @Test("Law 3: a row that others changed and changed back is no conflict")
  func changedBack() {
    var world = Self.world()
    perform(&world, set(6, 0), set(7, 1), .save(1), set(5, 1), .save(1))
    #expect(perform(&world, .save(0)).failures.isEmpty)
    #expect(world.store[1]?[.points] == 6)
  }

  @Test("Law 1: an undo that takes a contested edit back ends it")
  func undoEndsIt() {
    var world = Self.world()
    perform(&world, set(6, 0), set(7, 1), .save(1), .merge(0), .undo(0))
    #expect(points(world, 0) == 7)
    #expect(!world.hasUnsavedChanges(0))
  }
}

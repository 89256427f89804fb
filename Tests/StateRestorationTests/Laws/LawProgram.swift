import LineageTestSupport
import ResponderChain
import StateRestoration

/// A random program of edits, saves and launches. Each archive must restore the state that the
/// oracle expects.
///
/// The program avoids cases that the documentation leaves open. A detached responder with carried
/// records is not attached again, and no responder gets the identifier of a carried record.
struct LawProgram {
  static let identifiers = ["a", "b", "c", "", "a/b", "é"]

  var world: LawWorld
  var random = SplitMix64(seed: 0)
  var strategy: Strategy
  var archive: StateArchive?
  /// The kinds of the newest version of the app.
  var newest = LawRegistry()
  var lines: [String] = []
  var transcript: [String] = []
  /// Whether archives may contain the date of a launch. The archives of two strategies then differ,
  /// and are not compared.
  var hasDates = false

  init(seed: UInt64, _ strategy: Strategy) throws {
    self.strategy = strategy
    world = try LawWorld(nil, nil, LawLaunch(strategy: strategy), tags: 0)
    // A class registers each restorable property at the property's first use.
    for lawClass in LawClass.allCases { _ = world.addReal(lawClass, nil).node?.state }
  }

  /// Runs the steps. Returns a counterexample for the first step that fails; nil if none fails.
  mutating func run(_ program: SeededProgram) -> Counterexample<SeededProgram>? {
    for (index, seed) in program.steps.enumerated() {
      random = SplitMix64(seed: seed)
      do {
        try step()
        try world.compare(isFull: false)
        if let broken = world.restoration.brokenInvariant { throw LawFailure(broken) }
      } catch {
        let complaint = "\(lines.suffix(60).joined(separator: "\n"))\n\(strategy): \(error)"
        return Counterexample(program, failingAt: index, complaint: complaint)
      }
    }
    return nil
  }

  mutating func step() throws {
    switch random.below(40) {
    case 0..<6: try insert()
    case 6..<14: set()
    case 14..<17: try move()
    case 17: detach()
    case 18..<20: try attach()
    case 20: try reorder()
    case 21..<23: try rename()
    case 23..<26: try changeSlot()
    case 26: try present()
    case 27: try setRootView()
    case 28: toggleFailure()
    case 29: try finishWork()
    case 30..<32:
      log("read")
      try world.compare(isFull: true)
      try world.checkContexts()
    case 32..<37: try save()
    default: try launch()
    }
  }

  mutating func log(_ line: String) { lines.append(line) }

  /// Draws a responder of the tree that satisfies a condition; nil if there is none.
  mutating func pick(_ isRight: (LawModel) -> Bool = { _ in true }) -> LawModel? {
    let all = world.root.all.filter(isRight)
    return all.isEmpty ? nil : random.pick(all)
  }

  private mutating func save() throws {
    let kind = random.below(4)
    log("save \(["changes", "changes", "all", "both"][kind])")
    let record = world.snapshot()
    var archives: [StateArchive] = []
    if kind != 2 {
      let changes = world.restoration.archive(of: world.app, asksAll: false)
      let again = world.restoration.archive(of: world.app, asksAll: false)
      let hasFailing = world.root.all.contains(where: \.fails)
      guard hasFailing || changes == again else {
        throw LawFailure("a save without changes has appended \(again.count - changes.count) bytes")
      }
      archives.append(again)
    }
    if kind > 1 { archives.append(world.restoration.archive(of: world.app)) }
    for archive in archives {
      try probe(archive, record)
      // A carried record contains the date of a launch.
      if !world.root.all.allSatisfy(\.carried.isEmpty) { hasDates = true }
      if !hasDates { transcript.append("\(archive.bytes)") }
    }
    archive = archives.last
  }

  /// Restores an archive in a world of its own, saves there, and also restores that save. Compares
  /// all results with the oracle.
  private mutating func probe(_ archive: StateArchive, _ record: LawRecord) throws {
    var launch = LawLaunch(registry: world.registry, strategy: strategy)
    launch.registry.vetoed = nil
    launch.registry.throwing = nil
    launch.present = random.below(3) == 0 ? random.next() : nil
    let other = try LawWorld(archive, record, launch, tags: 100_000)
    if random.below(4) != 0 { try other.compare(isFull: true) }
    let changes = other.restoration.archive(of: other.app, asksAll: false)
    if launch.present == nil,
      (other.root.all + world.root.all).allSatisfy({ $0.carried.isEmpty }),
      record.children.isEmpty == false, changes != archive, !hasHanded(record),
      hasKinds(of: record, other.snapshot())
    {
      throw LawFailure("a restored tree has \(changes.count - archive.count) bytes of changes")
    }
    let next = random.below(2) == 0 ? changes : other.restoration.archive(of: other.app)
    let last = try LawWorld(next, other.snapshot(), launch.alone, tags: 200_000)
    try last.compare(isFull: true)
  }

  private func hasHanded(_ record: LawRecord) -> Bool {
    record.slot == .handed || record.slot == .value || record.state == nil
      || record.children.contains { hasHanded($0) }
  }

  /// Returns whether two trees of records have the same kinds and versions.
  private func hasKinds(of record: LawRecord, _ other: LawRecord) -> Bool {
    record.kind == other.kind && record.version == other.version
      && record.children.count == other.children.count
      && zip(record.children, other.children).allSatisfy { hasKinds(of: $0, $1) }
  }

  private mutating func launch() throws {
    guard let archive else { return }
    // All changes are saved first. The launch would lose unsaved changes, but the oracle's records
    // have them.
    let record = world.snapshot()
    let isFull = random.below(2) == 0
    let saved =
      isFull
      ? world.restoration.archive(of: world.app)
      : world.restoration.archive(of: world.app, asksAll: false)
    _ = archive
    var launch = LawLaunch(strategy: strategy)
    // Versions and names never go back, because the library decides whether it migrates a carried
    // record. After a new version, the kind is not missing either, because its records would then
    // be restored without a migration.
    if random.below(4) == 0 { newest.name = "A2" }
    if random.below(4) == 0 { newest.version = 2 }
    launch.registry.name = random.below(6) == 0 && newest.version == 1 ? nil : newest.name
    launch.registry.version = newest.version
    launch.registry.hasClasses = random.below(5) != 0
    launch.registry.hasPane = random.below(4) != 0
    launch.registry.hasWaiting = random.below(3) != 0
    launch.registry.hasRare = random.below(3) == 0
    launch.registry.makesUnknown = random.below(5) == 0
    if random.below(5) == 0 { launch.registry.vetoed = random.pick(Self.identifiers) }
    if random.below(5) == 0 { launch.registry.throwing = random.pick(Self.identifiers) }
    let moments: [LawLaunch.Moment] = [.before, .during, .pending, .missing, .failed]
    launch.moment = random.pick(moments)
    launch.present = random.below(2) == 0 ? random.next() : nil
    log("launch \(isFull) \(launch)")
    world = try LawWorld(saved, record, launch, tags: world.lastTag)
    if !world.root.all.allSatisfy(\.carried.isEmpty) { hasDates = true }
    transcript.append(world.restoration.report.description)
  }
}

extension LawLaunch {
  /// This launch with an empty tree before it.
  var alone: LawLaunch {
    var launch = self
    launch.present = nil
    return launch
  }
}

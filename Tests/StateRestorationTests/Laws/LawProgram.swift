import LineageTestSupport
import ResponderChain
import StateRestoration

/// A random program of edits, saves and launches. After each save, the archive must restore what
/// the oracle has.
///
/// What the documentation leaves open is left out: responders of a record that waits for another
/// launch are not detached, and code changes no identifier to that of a kept record.
struct LawProgram {
  static let identifiers = ["a", "b", "c", "", "a/b", "é"]

  var world: LawWorld
  var random = SplitMix64(seed: 0)
  var strategy: Strategy
  var archive: StateArchive?
  /// The present version of the app's kinds.
  var newest = LawRegistry()
  var lines: [String] = []
  var transcript: [String] = []
  /// Whether archives may have the date of a launch.
  var hasDates = false

  init(seed: UInt64, _ strategy: Strategy) throws {
    self.strategy = strategy
    world = try LawWorld(nil, nil, LawLaunch(strategy: strategy), tags: 0)
    // Classes learn of their properties when these are first used.
    for lawClass in LawClass.allCases { _ = world.addReal(lawClass, nil).node?.state }
  }

  /// Runs the steps, and returns the complaint of the first that fails.
  mutating func run(_ program: SeededProgram) -> Counterexample<SeededProgram>? {
    for (index, seed) in program.steps.enumerated() {
      random = SplitMix64(seed: seed)
      do {
        try step()
        try world.compare(isFull: false)
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
    case 29: try settle()
    case 30..<32:
      log("read")
      try world.compare(isFull: true)
      try world.checkContexts()
    case 32..<37: try save()
    default: try launch()
    }
  }

  mutating func log(_ line: String) { lines.append(line) }

  /// Draws a responder of the tree.
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
      let changes = world.restoration.archiveChanges(of: world.app)
      let again = world.restoration.archiveChanges(of: world.app)
      let hasFailing = world.root.all.contains(where: \.fails)
      guard hasFailing || changes == again else {
        throw LawFailure("a save without changes has appended \(again.count - changes.count) bytes")
      }
      archives.append(again)
    }
    if kind > 1 { archives.append(world.restoration.archive(of: world.app)) }
    for archive in archives {
      try probe(archive, record)
      // A kept record has the date of the launch that has kept it.
      if !world.root.all.allSatisfy(\.carried.isEmpty) { hasDates = true }
      if !hasDates { transcript.append("\(archive.bytes)") }
    }
    archive = archives.last
  }

  /// Restores an archive beside the program, and compares all.
  private mutating func probe(_ archive: StateArchive, _ record: LawRecord) throws {
    var launch = LawLaunch(registry: world.registry, strategy: strategy)
    launch.registry.vetoed = nil
    launch.registry.throwing = nil
    launch.present = random.below(3) == 0 ? random.next() : nil
    let other = try LawWorld(archive, record, launch, tags: 100_000)
    if random.below(4) != 0 { try other.compare(isFull: true) }
    let changes = other.restoration.archiveChanges(of: other.app)
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

  /// Returns whether the responders of a tree have the kinds with which they were saved.
  private func hasKinds(of record: LawRecord, _ other: LawRecord) -> Bool {
    record.kind == other.kind && record.version == other.version
      && record.children.count == other.children.count
      && zip(record.children, other.children).allSatisfy { hasKinds(of: $0, $1) }
  }

  private mutating func launch() throws {
    guard let archive else { return }
    // What was not saved would be lost, which the oracle's records do not know.
    let record = world.snapshot()
    let isFull = random.below(2) == 0
    let saved =
      isFull
      ? world.restoration.archive(of: world.app) : world.restoration.archiveChanges(of: world.app)
    _ = archive
    var launch = LawLaunch(strategy: strategy)
    // Versions and names only go on: whether a kept record is migrated is the library's to decide. So
    // its kind is not missing either, without which its values would be restored as they are.
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
  /// The launch without anything that is there before.
  var alone: LawLaunch {
    var launch = self
    launch.present = nil
    return launch
  }
}

import ResponderChain

extension Engine {
  /// Encodes the whole tree as a new archive, and returns it. If the save is refused, or if a
  /// restoration or another save is running, returns the last archive.
  func saveAll() -> StateArchive {
    if let refusal = writeAll() {
      report.add(problem: "The state was not saved: \(refusal) The last archive is kept.")
    }
    return log.archive
  }

  /// Encodes the whole tree, and replaces the archive by the result. Does nothing while a
  /// restoration or another save is running.
  ///
  /// - Returns: a sentence that says why the save was refused; nil if it was not refused.
  func writeAll() -> String? {
    guard let application, !isRestoring, !isSaving else { return nil }
    let size = log.byteCount
    let encoder = StateEncoder(
      ArchiveWriter(baseOf: nextGeneration, capacity: max(size + size / 8, 4096)), limits,
      contexts)
    var save = Save(self, encoder, isFull: true)
    save.writeTree(from: application)
    steps += encoder.record.comparisons
    let refusal = save.finish()
    if refusal == nil { havePathsChanged = false }
    return refusal
  }

  /// Appends the records that have changed since the last save. If more than half of the archive
  /// was appended by earlier saves, encodes the whole tree instead.
  func saveChanges() -> StateArchive {
    guard let application, log.itemCount > 0, log.generation >= storedGeneration, !isRestoring,
      !isSaving
    else { return saveAll() }
    let encoder = StateEncoder(
      ArchiveWriter(appendingTo: log.generation, after: log.itemCount), limits, contexts)
    var save = Save(self, encoder, isFull: false)
    var places = TreePlaces(application)
    for mark in marksToSave(save.changedBefore) {
      guard let responder = mark.responder ?? (mark is RootMark ? application : nil),
        responder.mark === mark, mark.isBound(to: self)
      else {
        mark.isChanged = false
        mark.isOwnedChanged = false
        continue
      }
      guard let depth = places.depth(of: responder) else {
        // The responder may be attached again, so its change stays noted.
        if mark.isChanged || mark.isOwnedChanged { changed.append(mark) }
        continue
      }
      save.writeChanges(of: responder, mark, depth: depth)
    }
    if !save.changedObjectsBefore.isEmpty { save.writeObjects(of: save.changedObjectsBefore) }
    // After a refusal, a full save may still be within the limits. It leaves out the records that
    // later saves of changes have replaced.
    steps += places.steps + encoder.record.comparisons
    guard save.finish() == nil else { return saveAll() }
    havePathsChanged = false
    return log.archive
  }

  /// Returns the marks of the responders that a save of changes has to check. Some of these
  /// responders may be outside the tree.
  private func marksToSave(_ changed: [Mark]) -> [Mark] {
    let marks = [application?.mark].compactMap(\.self) + changed
    guard havePathsChanged, !referring.isEmpty else { return marks }
    referring.removeAll { $0.responder?.mark !== $0 || !$0.hasPaths || !$0.isBound(to: self) }
    return marks + referring.filter { !$0.isChanged && !$0.isOwnedChanged }
  }

  /// The generation, or serial number, of the archive that the next full save makes.
  var nextGeneration: UInt64 { max(log.generation, storedGeneration) + 1 }

  /// Notes that a responder or object could not be written completely, so that the next save tries
  /// again.
  func retry(_ mark: Mark, _ responder: Responder?) {
    if let responder { mark.refer(to: responder) }
    // The application's mark retains this engine, so the engine must not retain that mark.
    if mark is RootMark { hasRootFailed = true } else { failed.append(mark) }
  }

  /// Marks responders and objects as changed if the last save could not write them completely.
  func retryFailed() {
    let marks = failed + (hasRootFailed ? [application?.mark].compactMap(\.self) : [])
    failed = []
    hasRootFailed = false
    for mark in marks {
      let isNoted = mark.isChanged || mark.isOwnedChanged
      mark.isChanged = true
      // The application's mark is not listed, because each save checks it.
      guard !isNoted, !(mark is RootMark) else { continue }
      if objects.find(mark) == nil { changed.append(mark) } else { changedObjects.append(mark) }
    }
  }

  /// Puts the marks of a refused save back into the lists of changed marks.
  func noteAgain(_ marks: [Mark], objects: [Mark]) {
    func merged(_ marks: [Mark]) -> [Mark] {
      var seen: Set<ObjectIdentifier> = []
      return marks.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
    changed = merged(marks + changed)
    changedObjects = merged(objects + changedObjects)
  }
}

/// The depths of responders that take part in restoration. Each depth is found by walking up to an
/// ancestor with a known depth.
struct TreePlaces {
  private let application: Application
  private var known: [ObjectIdentifier: Int?] = [:]
  /// The number of parents that were visited to find depths, for tests of the cost.
  private(set) var steps = 0
  /// The number of levels from one ancestor with a remembered depth to the next such ancestor.
  private static let interval = 16

  init(_ application: Application) { self.application = application }

  /// Returns the number of responders above a responder. Returns nil if the responder is outside
  /// the application's tree, or if the responder or one of its ancestors has no identifier.
  mutating func depth(of responder: Responder) -> Int? {
    var walked: [ObjectIdentifier] = []
    var node = responder
    var hops = 0
    var depth: Int?
    while true {
      if hops % Self.interval == 0 {
        if let found = known[ObjectIdentifier(node)] {
          depth = found.map { $0 + hops }
          break
        }
        walked.append(ObjectIdentifier(node))
      }
      guard let next = node.nextResponder else {
        depth = node === application ? hops : nil
        break
      }
      guard node.mark != nil else { break }
      node = next
      hops += 1
      steps += 1
    }
    for (index, id) in walked.enumerated() {
      known[id] = .some(depth.map { $0 - index * Self.interval })
    }
    return depth
  }
}

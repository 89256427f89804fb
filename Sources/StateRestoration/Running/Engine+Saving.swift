import ResponderChain

extension Engine {
  /// Encodes the whole tree as a new archive.
  func saveAll() -> StateArchive {
    guard let application, !isRestoring else { return log.archive }
    let generation = log.generation + 1
    let size = log.archive.count
    let encoder = StateEncoder(
      ArchiveWriter(baseOf: generation, capacity: max(size + size / 8, 4096)), limits)
    var save = Save(self, encoder, ArchiveLog(generation: generation), isFull: true)
    save.writeTree(from: application)
    save.finish()
    return log.archive
  }

  /// Appends the records that have changed since the last save.
  func saveChanges() -> StateArchive {
    guard let application, log.itemCount > 0, !isRestoring else { return saveAll() }
    let marks = [application.mark].compactMap(\.self) + changed
    changed = []
    let encoder = StateEncoder(
      ArchiveWriter(appendingTo: log.generation, after: log.itemCount), limits)
    var save = Save(self, encoder, log, isFull: false)
    for mark in marks {
      guard let responder = mark.responder ?? (mark is RootMark ? application : nil),
        responder.mark === mark, mark.isBound(to: self)
      else {
        mark.isChanged = false
        mark.isOwnedChanged = false
        continue
      }
      guard isTakingPart(responder) else {
        // It may come back.
        changed.append(mark)
        continue
      }
      save.writeChanges(of: responder, mark)
    }
    for added in changedObjects { save.writeObject(added) }
    changedObjects = []
    save.finish()
    return log.archive
  }

  /// Returns whether a responder and all its ancestors have an identifier.
  private func isTakingPart(_ responder: Responder) -> Bool {
    var node = responder
    while let next = node.nextResponder {
      guard node.mark != nil else { return false }
      node = next
    }
    return node === application
  }
}

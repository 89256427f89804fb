import ResponderChain

extension Engine {
  /// Encodes the whole tree as a new archive, and returns it. If the save is refused, or if a
  /// restoration or another save is running, returns the last archive.
  ///
  /// If `asksAll` is true, the methods of all responders and objects are called. Otherwise, the
  /// records of responders and objects without changes are copied, and if no record differs from
  /// the last archive, that archive stays.
  func save(asksAll: Bool) -> StateArchive {
    if let refusal = write(asksAll: asksAll) {
      report.add(problem: "The state was not saved: \(refusal) The last archive is kept.")
    }
    return log.archive
  }

  /// Encodes the whole tree, and replaces the archive by the result. Does nothing while a
  /// restoration or another save is running.
  ///
  /// - Returns: a sentence that says why the save was refused; nil if it was not refused.
  func write(asksAll: Bool) -> String? {
    guard let application, !isRestoring, !isSaving else { return nil }
    let size = log.archive.count
    let encoder = StateEncoder(
      ArchiveWriter(generation: nextGeneration, capacity: max(size + size / 8, 4096)), limits,
      contexts)
    var save = Save(self, encoder, asksAll: asksAll)
    save.writeTree(from: application)
    steps += encoder.record.comparisons
    return save.finish()
  }

  /// The generation, or serial number, of the archive that the next save makes.
  var nextGeneration: UInt64 { max(log.generation, storedGeneration) + 1 }
}

/// An archive that was read from a file, with the name of the file.
package typealias StoredArchive = (name: String, tree: ArchivedTree)

/// The result of loading the archives of a folder.
package struct StoredState: Sendable {
  /// The newest archive that can be used; nil if none.
  package var newest: StoredArchive?
  /// The fault of the first archive that cannot be used.
  var fault: StateArchive.Fault?
  /// The greatest generation (serial number) of all archives that were seen. The next archive must
  /// have a greater one.
  package var generation: UInt64 = 0
  /// The reason why this process saves nothing; nil if it saves its state.
  package var refusal: String?
  /// Whether this process has locked the folder.
  var isLocked = false
  /// A sentence for each file that could not be used.
  package var problems: [String] = []
  /// The sentences about the file that was used, if another file could not be used.
  package var notes: [String] = []

  /// The records to be restored. If there is no archive, a tree without records.
  var tree: ArchivedTree { newest?.tree ?? ArchivedTree(generation: generation, fault: fault) }
}

public import Foundation

extension GraphError: LocalizedError {
  /// A sentence for users, which names neither ids nor what a developer has to know. For developers,
  /// there is ``description``.
  ///
  /// ```swift
  /// message = (error as? LocalizedError)?.errorDescription ?? "\(error)"
  /// ```
  public var errorDescription: String? {
    switch reason {
    case .invalid(let objects):
      var problems: [String] = []
      for problem in objects.lazy.flatMap(\.problems).map(\.description)
      where !problems.contains(problem) { problems.append(problem) }
      return "Not saved: \(problems.list(first: 3))."
    case .notUnique(let entity, let properties, _):
      return "Not saved: there is another \(entity) with the same \(properties.list(first: 3))."
    case .conflict(let reports), .overtaken(let reports):
      let isDeleted = reports.allSatisfy { $0.properties.isEmpty && !$0.isDeletedHere }
      return "Not saved: somebody else has \(isDeleted ? "deleted" : "changed") it meanwhile."
    case .dangling, .deleted, .notFound: return "It was deleted meanwhile."
    case .denied(_, let property, let count):
      return "Not deleted: it has \(property) still, \(count) of them."
    case .unknownOutcome: return "It is not known yet whether it was saved."
    case .timeout: return "Another program kept the data busy for too long."
    case .full: return "Not saved: the disk is full."
    case .readOnly: return "The data can only be read."
    case .cancelled: return "It was cancelled."
    case .inputOutput, .unsynced, .store: return "The data could not be read or written."
    case .damaged, .unreadable, .notAFile: return "The data are damaged."
    case .otherArchive, .migrated: return "The data are of another version of this program."
    case .tooLarge, .figure: return "It is too large."
    case .tooLong, .tooSlow: return "It takes too long."
    case .schema, .unknownEntity, .request, .statement, .unsaved, .idTaken, .otherContext,
      .disconnected, .notAURI, .wrongStore, .closed, .ended, .saving, .mustOnlyRead, .otherType,
      .other:
      return "It could not be done."
    }
  }
}

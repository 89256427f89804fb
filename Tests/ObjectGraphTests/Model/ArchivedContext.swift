import Foundation
import LineageTestSupport
import ObjectGraph

/// The unsaved changes of a context of a random program at one moment, as an archive has them.
struct ArchivedContext {
  /// The number of the parent; nil for the root.
  let parent: Int?
  private let policy: ConflictPolicy
  private let recordsUndo: Bool
  private let edits: [KeptEdit]
  private let keeping: (id: UUID, count: Int64)?

  init(_ context: ObjectContext, _ parent: Int?) {
    self.parent = parent
    (policy, recordsUndo) = (context.conflictPolicy, context.recordsUndo)
    edits = context.keptEdits
    keeping = context.hasUnsavedChanges ? context.keeping : nil
  }

  /// Replays the changes in a context of a later process.
  func restore(_ context: ObjectContext) throws {
    context.conflictPolicy = policy
    context.recordsUndo = recordsUndo
    guard let (id, count) = keeping else { return }
    if case .replayed(let leftOut) = try context.replay(edits, of: id, count: count) {
      guard leftOut.isEmpty else { throw Mishap("\(leftOut.count) left out") }
    }
    guard context.keeping?.id == id else { throw Mishap("another id") }
  }
}

/// The unsaved changes of a context of a random program, as it last told of them.
final class KeptWitness {
  private let context: ObjectContext
  private var known = ""
  private var isTold = true

  init(_ context: ObjectContext) {
    self.context = context
    context.keepEdits { [weak self] in self?.isTold = true }
  }

  /// Returns a description of changes of which the context has not told; nil if there is none.
  func complaint() throws -> String? {
    let arena = CellArena(capacity: 1_024)
    let now = try context.keptEdits.map { edit in
      let values = try (0..<8).filter(edit.columns.contains).map { column in
        try [edit.value, edit.base].map { try $0.cell(of: column, in: arena).stored }
      }
      return "\(edit.key) \(edit.change) \(edit.contested) \(edit.emptied) \(values)"
    }.joined(separator: "\n")
    defer { (known, isTold) = (now, false) }
    return isTold || now == known ? nil : "nobody was told of a change of\n\(known)\nto\n\(now)"
  }
}

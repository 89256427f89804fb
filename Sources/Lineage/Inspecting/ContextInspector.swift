import Foundation
import ObjectGraph
import ResponderChain
import SQLiteStorage

/// The gathering of contexts with their parents and unsaved changes.
struct ContextInspector {
  private(set) var contexts: [InspectedContext] = []
  private var numbers: [ObjectIdentifier: Int] = [:]

  /// The greatest number of a context's changes, and of the characters of a value.
  static let changeLimit = 20
  static let textLimit = 200

  /// Returns the number of a context. The first call appends it, after its parents.
  mutating func number(of context: any BranchingContext) -> Int {
    var new: [any BranchingContext] = []
    var next: (any BranchingContext)? = context
    while let context = next, numbers[ObjectIdentifier(context)] == nil {
      new.append(context)
      next = context.parent
    }
    var parent = next.flatMap { numbers[ObjectIdentifier($0)] }
    for context in new.reversed() {
      numbers[ObjectIdentifier(context)] = contexts.count
      contexts.append(Self.inspect(context, below: parent))
      parent = contexts.count - 1
    }
    return numbers[ObjectIdentifier(context)] ?? 0
  }

  private static func inspect(
    _ context: any BranchingContext, below parent: Int?
  ) -> InspectedContext {
    let objects = context as? ObjectContext
    let edits = objects?.keptEdits ?? []
    return InspectedContext(
      parent: parent, name: String(describing: context),
      store: objects.flatMap { objects in
        if objects.isDraft { return "draft" }
        return objects.parent == nil ? objects.sqliteStore?.url.lastPathComponent : nil
      },
      isUnsaved: context.hasUnsavedChanges,
      changes: objects.map { objects in
        edits.prefix(changeLimit).map { change($0, objects.model.layouts[$0.entity]) }
      } ?? [],
      count: edits.count)
  }

  /// Describes the unsaved change of an object. Properties with `inState: false` are left out, as
  /// they are in archives.
  private static func change(_ edit: KeptEdit, _ layout: Layout) -> InspectedChange {
    let (columns, sort) =
      switch edit.change {
      case .inserted, .insertedAgain: (edit.columns, "inserted")
      case .updated: (edit.edited, "updated")
      case .deleted: (ColumnMask(), "deleted")
      }
    let arena = CellArena(capacity: 256)
    func text(_ column: Int, of box: AnyBox) -> String {
      defer { arena.reset() }
      guard let value = try? box.cell(of: column, in: arena).stored else { return "?" }
      let text = layout.columns[column].kept.source(of: value)
      return text.count > textLimit ? text.prefix(textLimit) + "…" : text
    }
    return InspectedChange(
      object: "\(layout.name)/\(edit.key)", sort: sort,
      properties: layout.columns.indices.filter(columns.contains).map { column in
        let old = edit.change == .updated ? text(column, of: edit.base) : ""
        return [layout.columns[column].name, old, text(column, of: edit.value)]
      })
  }
}

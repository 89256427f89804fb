/// An object's properties that are edited here and were changed above.
///
/// A property is contested from the moment when the context learns of the other's value until a
/// policy decides in a save, or a discard or an undo takes the edit back.
final class Contest {
  /// The contested properties.
  private(set) var columns = ColumnMask()
  /// The values with which both sides began; only the contested properties count.
  private let origin: AnyBox
  /// The properties that are contested only because the object is deleted here.
  var byDeletion = ColumnMask()
  /// Whether the object is deleted above.
  var isGone = false

  /// A contest of no property yet.
  ///
  /// - Parameter base: The values of now; the contest owns the box.
  init(origin base: AnyBox) { origin = base }

  /// Whether there is nothing to decide.
  var isEmpty: Bool { columns.isEmpty && !isGone }

  /// Adds properties, whose values in the base are those with which both sides began.
  func add(_ added: ColumnMask, base: StructMemory) {
    let layout = origin.layout
    origin.withMemory { origin in
      for index in layout.columns.indices where added.contains(index) && !columns.contains(index) {
        layout.columns[index].assign(from: base, to: origin)
      }
    }
    columns.formUnion(added)
  }

  /// Writes the values with which both sides began over a copy of the base.
  func restoreOrigin(of copy: AnyBox) {
    let layout = origin.layout
    origin.withMemory { origin in
      copy.withMemory { copy in
        for index in layout.columns.indices where columns.contains(index) {
          layout.columns[index].assign(from: origin, to: copy)
        }
      }
    }
  }

  /// Takes over from another contest those properties that are in the mask, with their origin.
  func add(_ mask: ColumnMask, of other: Contest) {
    other.origin.withMemory { add(mask.intersection(other.columns), base: $0) }
  }

  func copy() -> Contest {
    let copy = Contest(origin: origin.copy())
    copy.columns = columns
    copy.byDeletion = byDeletion
    copy.isGone = isGone
    return copy
  }
}

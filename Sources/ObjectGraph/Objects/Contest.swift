/// The contested properties of an object, which are edited here and were changed above.
///
/// A property becomes contested when the context learns that the value above has changed. The
/// property stays contested until a policy decides in a save, or until a discard or an undo removes
/// the edit.
final class Contest {
  /// The contested properties.
  private(set) var columns = ColumnMask()
  /// The values that the contested properties had before either side changed them. Other values in
  /// the box have no meaning.
  let origin: AnyBox
  /// Whether the object was deleted above.
  var isGone = false

  /// Creates a contest without properties.
  ///
  /// - Parameter base: A copy of the current base, which only the contest may use.
  init(origin base: AnyBox) { origin = base }

  /// Whether a conflict policy has nothing to decide.
  var isEmpty: Bool { columns.isEmpty && !isGone }

  /// Adds contested properties. `base` must still have the values from before either side changed
  /// them.
  func add(_ added: ColumnMask, base: StructMemory) {
    origin.take(added.subtracting(columns), of: base)
    columns.formUnion(added)
  }

  /// Replaces the contested properties in a copy of the base with the values that they had before
  /// either side changed them.
  func restoreOrigin(of copy: AnyBox) {
    origin.withMemory { copy.take(columns, of: $0) }
  }

  /// Adds those contested properties of another contest that are in the mask, with the values that
  /// they had before either side changed them.
  func add(_ mask: ColumnMask, of other: Contest) {
    other.origin.withMemory { add(mask.intersection(other.columns), base: $0) }
  }

  func copy() -> Contest {
    let copy = Contest(origin: origin.copy())
    copy.columns = columns
    copy.isGone = isGone
    return copy
  }
}

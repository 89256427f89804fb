import Synchronization

/// The values of objects before their changes, from which the changed columns are found.
///
/// The witness of a family (all contexts of one root) notes values only while followers need to know
/// the columns.
final class ChangeWitness {
  private var before: [GraphObject: (value: AnyBox, isDeleted: Bool)] = [:]
  private let followers = Atomic(0)

  /// Whether a follower needs to know the columns. Each change asks this.
  @inline(__always)
  var isNeeded: Bool { followers.load(ordering: .relaxed) > 0 }

  /// Notes values from now on.
  func beginNeed() { followers.add(1, ordering: .relaxed) }

  /// Ends the effect of one call of `beginNeed()`, on any thread.
  func endNeed() { followers.subtract(1, ordering: .relaxed) }

  /// Notes the value of an object before a change. An earlier note of the object is kept.
  func record(_ object: GraphObject) {
    if before[object] == nil { before[object] = (object.boxed(), object.isDeleted) }
  }

  /// Returns the columns in which an object differs from the noted value, and forgets this value.
  /// Returns nil if there is none, or if the object was deleted or came back meanwhile.
  func takeColumns(of object: GraphObject) -> ColumnMask? {
    guard let (value, isDeleted) = before.removeValue(forKey: object),
      object.isDeleted == isDeleted, object.row != nil
    else { return nil }
    return value.withMemory { old in
      object.withMemory { object.layout.difference(old, $0) }
    }
  }

  /// Forgets all values. The columns of changes that are not told yet are unknown then.
  func forget() {
    if !before.isEmpty { before.removeAll() }
  }
}

/// The values of objects before their changes, from which the changed columns are found.
///
/// A family (all contexts of one root) has a witness while followers need to know the columns. They
/// retain it.
final class ChangeWitness {
  private var before: [GraphObject: (value: AnyBox, isDeleted: Bool)] = [:]

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
  func forget() { before.removeAll() }
}

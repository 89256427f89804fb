/// A change of one object, as its observers hear of it.
public struct ObjectChange<Value: Entity> {
  /// Whether the object is deleted now. A new object that was discarded counts as deleted.
  public let isDeleted: Bool
  private let columns: ColumnMask

  init(isDeleted: Bool, _ columns: ColumnMask) {
    self.isDeleted = isDeleted
    self.columns = columns
  }

  /// The names of the attributes and to-one properties whose values differ from those of the
  /// observer's last call, in the order of the schema.
  public var properties: [String] {
    let all = Value.layout.columns
    return all.indices.filter(columns.contains).map { all[$0].name }
  }

  /// Returns whether the value of a property differs from that of the observer's last call.
  ///
  /// - Precondition: The property is an attribute or a to-one property of the schema.
  public func contains(_ path: any PartialKeyPath<Value> & Sendable) -> Bool {
    guard let column = Value.layout.column(of: path) else {
      preconditionFailure("contains(_:) takes an attribute or a to-one property of \(Value.self).")
    }
    return columns.contains(column)
  }
}

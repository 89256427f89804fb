extension ColumnCell {
  /// Returns the value of a cell of the named column.
  func value<Value: AttributeValue>(as _: Value.Type, named column: String) throws -> Value {
    do {
      let field = try Field.alone(Value.self)
      return try StructMemory.make(Value.self) { try field.decode(self, into: $0) }
    } catch let fault as ColumnFault {
      throw ColumnFault(message: "\(column) \(fault.message), not a \(Value.self)")
    }
  }
}

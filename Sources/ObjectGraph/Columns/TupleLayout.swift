/// The places of a tuple's elements in memory, so that rows are decoded by one loop that is not
/// generic (benchmark `sql rows`).
///
/// Swift lays out a tuple as a struct: each element begins at the first address after the last
/// element that fits its alignment. The initializer checks the size that follows from this.
struct TupleLayout {
  private let fields: [Field]
  private let typeNames: [String]

  /// The number of elements.
  var count: Int { fields.count }

  /// - Throws: An error if the `attributeForm` of one of the types is that of another type.
  init<each Value: AttributeValue>(_: repeat (each Value).Type) throws(ColumnFault) {
    var fields: [Field] = []
    var typeNames: [String] = []
    var end = 0
    func add<Element: AttributeValue>(_: Element.Type) throws(ColumnFault) {
      let field = try Field.alone(Element.self)
      let mask = MemoryLayout<Element>.alignment - 1
      let offset = (end + mask) & ~mask
      fields.append(
        Field(kind: field.kind, isOptional: field.isOptional, offset: offset, size: field.size))
      typeNames.append("\(Element.self)")
      end = offset + field.size
    }
    for type in repeat (each Value).self { try add(type) }
    precondition(
      end == MemoryLayout<(repeat each Value)>.size, "A tuple is laid out in another way.")
    self.fields = fields
    self.typeNames = typeNames
  }

  /// Initialises a tuple from a row. If decoding throws, the memory stays uninitialised. The names of
  /// the columns are for errors.
  func decode(
    _ cells: CellRow, into memory: StructMemory, columns: [String]
  ) throws(ColumnFault) {
    var done = 0
    do {
      let fields = self.fields
      while done < fields.count {
        try fields[done].decode(cells[done], into: memory)
        done += 1
      }
    } catch {
      for field in fields[..<done] { field.destroy(in: memory) }
      throw ColumnFault(message: "\(columns[done]) \(error.message), not a \(typeNames[done])")
    }
  }
}

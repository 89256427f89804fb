extension SchemaShape {
  /// The hash of a schema, which does not depend on the order of entities and properties. It is
  /// FNV-1a with 64 bits, written as 16 hexadecimal digits.
  package var hash: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ text: String) {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
      // A zero byte ends each text, because no text contains one.
      hash = (hash ^ 0) &* 0x100_0000_01b3
    }
    for table in tables.sorted(by: { $0.name < $1.name }) {
      add(table.name)
      for column in table.columns.sorted(by: { $0.name < $1.name }) {
        add(column.name)
        add(column.meaning)
        add(column.isOptional ? "optional" : "")
        add(column.isUnique ? "unique" : column.isIndexed ? "indexed" : "")
        add(column.target ?? "")
      }
      add("")
    }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

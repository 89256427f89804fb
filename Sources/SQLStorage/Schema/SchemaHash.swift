extension SchemaShape {
  /// The hash of a schema, which does not depend on the order of entities and properties.
  package var hash: String {
    var hash = NameHash()
    for table in tables.sorted(by: { $0.name < $1.name }) {
      hash.add(table.name)
      for column in table.columns.sorted(by: { $0.name < $1.name }) {
        hash.add(column.name)
        hash.add(column.meaning)
        hash.add(column.isOptional ? "optional" : "")
        hash.add(column.isUnique ? "unique" : column.isIndexed ? "indexed" : "")
        hash.add(column.target ?? "")
      }
      for index in table.wideIndexes.sorted(by: { $0.name < $1.name }) {
        hash.add(index.isUnique ? "unique" : "index")
        hash.add(index.name)
      }
      hash.add("")
    }
    return hash.digits
  }
}

/// FNV-1a with 64 bits, over texts.
private struct NameHash {
  private var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  mutating func add(_ text: String) {
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    // A zero byte ends each text, because no text contains one.
    hash = (hash ^ 0) &* 0x100_0000_01b3
  }

  /// The hash as 16 hexadecimal digits.
  var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Returns the name of an index: `Entity.property`, because no table can have such a name. Some engines
/// cut names after 63 bytes, so a longer name ends with a hash instead.
package func indexName(_ index: IndexShape, of table: String) -> String {
  let name = "\(table).\(index.name)"
  guard name.utf8.count > 63 else { return name }
  var hash = NameHash()
  hash.add(name)
  return String(decoding: name.utf8.prefix(46), as: UTF8.self) + "." + hash.digits
}

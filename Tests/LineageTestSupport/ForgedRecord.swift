/// A record of a forged archive. Each of its parts can be set to bytes that a save never writes.
package struct ForgedRecord {
  /// The index of the record above.
  package var parent: Int
  package var role: UInt8
  /// The number that names the record; nil means one that depends on the other parts.
  package var id: UInt64?
  package var identifier: String
  package var kind: String
  package var version: UInt64 = 1
  package var launches: [UInt8] = [0]
  /// The values, each with its key and its encoded bytes.
  package var values: [(key: String, value: [UInt8])]
  /// The bytes that are written in place of `values`; nil means that `values` is written.
  package var entries: [UInt8]?
  /// The number of values that the record claims to have; nil means their true number.
  package var count: Int?
  /// The encoded list of the contexts that the record needs: their number, then their names.
  package var needs: [UInt8] = [0]
  /// The encoded list of the record's slots: their number, then each slot.
  package var slots: [UInt8] = [0]

  package init(
    parent: Int = 0, role: UInt8 = 0, identifier: String = "", kind: String = "",
    values: [(key: String, value: [UInt8])] = []
  ) {
    (self.parent, self.role, self.identifier, self.kind) = (parent, role, identifier, kind)
    self.values = values
  }

  /// The record as an item of an archive.
  package var item: Forgery.Item {
    let entries = entries ?? values.flatMap { Forgery.entry($0.key.utf8, $0.value) }
    var payload = Forgery.word(entries.count + 4)
    payload += Forgery.word(count ?? values.count) + entries
    let hash = identifier.utf8.reduce(UInt64(truncatingIfNeeded: parent)) { $0 &* 31 &+ UInt64($1) }
    let id = id ?? (role == 4 ? 16 : hash % 1_000_000 + 17)
    payload += [role] + (0..<8).map { UInt8(truncatingIfNeeded: id >> (8 * $0)) }
    payload += Forgery.text(identifier) + Forgery.text(kind)
    payload += Forgery.varint(version) + launches
    return Forgery.Item(parent: parent, payload: payload + needs + slots)
  }
}

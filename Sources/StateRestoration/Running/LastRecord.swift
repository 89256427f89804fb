import LineageFiles

/// The archived values of one responder, which a save writes again or copies.
struct LastRecord {
  /// The values that encoding and decoding methods have used.
  private var used: UsedValues
  private let record: Record
  /// The archived values; nil if none.
  lazy var values = record.values
  /// The position after the value that was found last.
  private var cursor: RecordValues.EntryCursor?

  init(_ record: Record) { (self.record, used) = (record, record.used) }
}

extension LastRecord {
  /// Writes the values of the properties, and copies the archived values that nothing has read.
  /// Both are written in the order of their keys.
  mutating func writeProperties(of mark: Mark, to encoder: StateEncoder) {
    if !mark.properties.isEmpty, mark.properties.sort() { used = UsedValues() }
    var rest = unread(mark, encoder)[...]
    if rest.isEmpty { encoder.record.noteAllUsed() }
    var before: (key: PropertyKey, owner: Any.Type?)?
    mark.properties.forEach { property in
      while let next = rest.first, let old = values,
        property.key.isAfter(old.keyBytes(next))
      {
        encoder.record.copy(next, of: old)
        rest.removeFirst()
      }
      if let before, before.key == property.key, let one = before.owner, let other = property.owner
      {
        let text =
          one == other
          ? "\(one) declares this key twice." : "\(one) and \(other) both declare this key."
        return encoder.record.note(StateError(.unstorable(text)), property.key.name)
      }
      before = (property.key, property.owner)
      write(property, of: mark, to: encoder)
    }
    for next in rest {
      if let old = values { encoder.record.copy(next, of: old) }
    }
  }

  /// Returns the archived values that are copied though no property has their key. No method has
  /// used them, or new values were refused. They are sorted by their keys.
  private mutating func unread(
    _ mark: Mark, _ encoder: StateEncoder
  ) -> [RecordValues.ValueEntry] {
    let hasRefused = encoder.record.hasRefused
    if used.isAll, !hasRefused { return [] }
    guard let old = values, hasRefused || !used.containsAll(first: old.count) else { return [] }
    var unread: [RecordValues.ValueEntry] = []
    // Properties usually have the order of the archived values.
    let properties = mark.properties
    var upcoming = properties
    try? old.forEach { entry in
      if used.contains(entry.index) {
        guard hasRefused, encoder.record.isRefused(old.key(entry)) else { return }
      }
      func isEntry(_ property: PropertyCell) -> Bool {
        property.key.withText { old.hasKey(entry, $0) }
      }
      var next = upcoming
      if let property = next.next(), isEntry(property) { return upcoming = next }
      if !properties.contains(where: isEntry) { unread.append(entry) }
    }
    if unread.count > 1 {
      unread.sort { old.keyBytes($0).lexicographicallyPrecedes(old.keyBytes($1)) }
    }
    return unread
  }

  /// Writes the value of a property. If the archived value was not read, its bytes are copied.
  private mutating func write(
    _ property: PropertyCell, of mark: Mark, to encoder: StateEncoder
  ) {
    if property.phase == .absent { return }
    // A value with missing references is kept until it is set.
    let isMissing = record.hasMissing && !record[missing: property.key.name].isEmpty
    if property.phase != .present || isMissing, mark.isDecoded, copy(property, to: encoder) {
      return
    }
    do {
      try property.key.withText { key in
        try encoder.record.write(key) { try property.write(to: &$0) }
      }
    } catch {
      encoder.record.note(error, property.key.name)
    }
    if encoder.record.hasRefused, encoder.record.isRefused(property.key.name) {
      _ = copy(property, to: encoder)
    }
  }

  /// Copies the archived bytes of a property.
  ///
  /// - Returns: false if there are no such bytes.
  private mutating func copy(_ property: PropertyCell, to encoder: StateEncoder) -> Bool {
    guard let values else { return false }
    var next = cursor ?? values.first
    guard let entry = try? property.key.withText({ try values.find($0, from: &next) }) else {
      return false
    }
    cursor = next
    encoder.record.copy(entry, of: values)
    return true
  }
}

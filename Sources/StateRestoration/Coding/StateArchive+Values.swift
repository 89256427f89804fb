extension StateArchive {
  /// Returns the value under a key in a record, for tests. No code of the app runs, except that which
  /// reads the value.
  ///
  /// ```swift
  /// #expect(try archive.value("text", at: ["deck", "editor"]) == "half a sentence")
  /// ```
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - path: The restoration identifiers on the way down from the application. The empty path leads
  ///     to the application. Of several siblings with the same identifier, the first one counts.
  /// - Returns: The value; nil if there is no such record or value, or if the value is nil.
  /// - Throws: ``StateArchive/Fault`` if the archive cannot be used, and ``StateError`` if the value is
  ///   of another type.
  /// - Complexity: O(*n*) for *n* bytes of the archive.
  public func value<Value: RestorableValue>(
    _ key: StateKey<Value>, at path: [String] = []
  ) throws -> Value? {
    let tree = ArchivedTree(self, RestorationLimits())
    if let fault = tree.findings.fault { throw fault }
    var index = 0
    for identifier in path {
      let found = tree.items.indices.dropFirst().first { next in
        tree.items[next].parent == index && tree.header(next)?.identifier == identifier
      }
      guard let found else { return nil }
      index = found
    }
    guard let record = tree.reader(index) else { return nil }
    let values = try RecordValues(record)
    guard let entry = try values.find(key.name) else { return nil }
    var reader = values.reader(entry, nil)
    return try reader.readNil() ? nil : Value.read(from: &reader)
  }
}

extension ValueReader {
  /// Tells a writer, to which the value is copied, of the contexts that the value needs. The writer
  /// gets at most ``ContextTable/limit`` names of contexts.
  mutating func noteNeeds(in writer: inout ValueWriter) {
    // Most references of a value are of one context.
    var last: ArraySlice<UInt8>?
    var needs = writer.needs
    try? forEachReference { name, _ in
      if let last, last.elementsEqual(name) { return }
      last = name
      let name = String(decoding: name, as: UTF8.self)
      if needs.count < ContextTable.limit, !needs.contains(name) { needs.append(name) }
    }
    writer.needs = needs
  }

  /// Calls a closure with each reference in the value: the bytes of the context's name and of its
  /// text. For a responder, the name is empty, and the text is the id.
  ///
  /// All other values are skipped. The function does not recurse, so a deeply nested value cannot
  /// overflow the stack.
  mutating func forEachReference(
    _ body: (_ context: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Void
  ) throws {
    // The number of elements that are still to be visited in the innermost container, and whether
    // they have keys. The value itself counts as one.
    var (rest, hasKeys) = (1, false)
    var outer: [(rest: Int, hasKeys: Bool)] = []
    while true {
      while rest == 0 {
        guard let last = outer.popLast() else { return }
        (rest, hasKeys) = (last.rest, last.hasKeys)
      }
      rest -= 1
      if hasKeys { _ = try dataRange() }
      while try peekTag() == .some { position += 1 }
      switch try peekTag() {
      case .reference:
        position += 1
        body(try data(), try data())
      case .responder:
        try skip()
        body([], bytes[position - 8..<position])
      case .early:
        position += 1
        while try peekTag() == .some { position += 1 }
        guard try peekTag() != .early else {
          throw StateError(.damaged("a part of a value has parts itself"))
        }
        if rest > 0 { outer.append((rest, hasKeys)) }
        (rest, hasKeys) = (2, false)
      case .array, .dictionary:
        if rest > 0 { outer.append((rest, hasKeys)) }
        hasKeys = try tag() == .dictionary
        rest = try containerHead().count
      default: try skip()
      }
    }
  }
}

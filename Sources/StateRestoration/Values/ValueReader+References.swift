extension ValueReader {
  /// Adds to the list the names of the contexts that the value needs. The list gets at most
  /// ``ContextTable/limit`` names.
  mutating func noteNeeds(_ needs: inout [String]) {
    // Most references of a value are of one context.
    var last: ArraySlice<UInt8>?
    try? forEachReference { name, _ in
      if let last, last.elementsEqual(name) { return }
      last = name
      let name = String(decoding: name, as: UTF8.self)
      if needs.count < ContextTable.limit, !needs.contains(name) { needs.append(name) }
    }
  }

  /// Calls the closure with each reference in the value. The closure gets the bytes of the
  /// context's name and of the reference's text.
  ///
  /// All other values are skipped. The function does not recurse, so a deeply nested value cannot
  /// overflow the stack.
  mutating func forEachReference(
    _ body: (_ context: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Void
  ) throws {
    switch try peekTag() {
    case .reference:
      // Most values with references are a single reference.
      _ = try tag()
      return body(try data(), try data())
    case let tag where tag.mayHaveReferences: break
    default: return
    }
    /// An array or dictionary with elements that are still to be visited.
    struct OpenContainer {
      /// The number of elements that are still to be visited.
      var rest: Int
      let hasKeys: Bool
    }
    var open = [OpenContainer(rest: 1, hasKeys: false)]
    while let last = open.last {
      guard last.rest > 0 else {
        open.removeLast()
        continue
      }
      open[open.count - 1].rest -= 1
      if last.hasKeys { _ = try data() }
      switch try peekTag() {
      case .reference:
        _ = try tag()
        body(try data(), try data())
      case .some:
        _ = try tag()
        open[open.count - 1].rest += 1
        // The key belongs to the optional. The value inside the optional has no key.
        if last.hasKeys {
          open[open.count - 1].rest -= 1
          open.append(OpenContainer(rest: 1, hasKeys: false))
        }
      case .array, .dictionary:
        let hasKeys = try tag() == .dictionary
        open.append(OpenContainer(rest: try containerHead().count, hasKeys: hasKeys))
      default: try skip()
      }
    }
  }
}

/// Turns the bytes of a terminal into keys. The bytes may be cut anywhere.
package struct KeyParser: Sendable {
  /// Bytes that do not tell their key yet.
  private var rest: [UInt8] = []
  /// The bytes of a paste that has not ended.
  private var pasted: [UInt8]?

  private static let pasteEnd = Array("\u{1b}[201~".utf8)

  package init() {}

  /// Whether the bytes so far may be the escape key, or the beginning of another one.
  package var isWaiting: Bool { !rest.isEmpty }

  /// Reads bytes, and returns the keys that are complete.
  package mutating func read(_ bytes: [UInt8]) -> [Key] {
    rest += bytes
    var keys: [Key] = []
    var start = 0
    while start < rest.count {
      if pasted != nil {
        start += readPaste(rest[start...], into: &keys)
      } else {
        guard let (key, length) = key(of: rest[start...]) else { break }
        start += length
        if let key { keys.append(key) }
      }
    }
    rest.removeFirst(start)
    return keys
  }

  /// Returns the keys of bytes after which none came for a while: an escape, or a character that
  /// was cut off. A sequence that was cut off is none.
  package mutating func flush() -> [Key] {
    defer { rest = [] }
    if rest == [0x1b] { return [.escape] }
    return rest.isEmpty || rest.first == 0x1b ? [] : ["\u{fffd}"]
  }

  /// Takes bytes of a paste, up to its end if that is among them. Returns their number.
  private mutating func readPaste(_ bytes: ArraySlice<UInt8>, into keys: inout [Key]) -> Int {
    let old = pasted?.count ?? 0
    var text = pasted.take() ?? []
    text += bytes
    let end = text.indices.dropFirst(max(0, old - Self.pasteEnd.count + 1)).first {
      text[$0] == 0x1b && text[$0...].starts(with: Self.pasteEnd)
    }
    guard let end else {
      pasted = text
      return bytes.count
    }
    keys.append(.paste(String(decoding: text[..<end], as: UTF8.self)))
    return end + Self.pasteEnd.count - old
  }

  /// Returns the first key and the number of its bytes. The key is nil if the bytes mean nothing;
  /// the result is nil if more bytes are needed.
  private mutating func key(of bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
    let first = bytes[bytes.startIndex]
    switch first {
    case 0x1b: return sequence(bytes)
    case 0x0d, 0x0a: return (.enter, 1)
    case 0x09: return (.tab, 1)
    case 0x7f, 0x08: return (.backspace, 1)
    case 0x01...0x1a: return (.control(Character(Unicode.Scalar(first + 0x60))), 1)
    case 0..<0x20: return (nil, 1)
    default:
      let length = first < 0xc2 || first > 0xf4 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
      let found = bytes.prefix(length)
      if found.count < length, found.dropFirst().allSatisfy({ $0 & 0xc0 == 0x80 }) { return nil }
      // Each byte that is not UTF-8 becomes a replacement character.
      guard let text = String(validating: found, as: UTF8.self) else { return ("\u{fffd}", 1) }
      return (.character(Character(text)), length)
    }
  }

  /// Returns the key of bytes that begin with an escape.
  private mutating func sequence(_ bytes: ArraySlice<UInt8>) -> (Key?, Int)? {
    // The function keys of the Linux console have two brackets.
    let body = bytes.dropFirst(bytes.dropFirst().starts(with: "[[".utf8) ? 3 : 2)
    let ends: (UInt8) -> Bool
    switch bytes.dropFirst().first {
    case nil: return nil
    case 0x1b: return (.escape, 1)
    case UInt8(ascii: "["), UInt8(ascii: "O"): ends = { !(0x20...0x3f).contains($0) }
    // The answer of a terminal to a question that was not asked.
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): ends = { $0 == 7 || $0 == 0x1b }
    // A key that was pressed together with Alt.
    default: return key(of: bytes.dropFirst()).map { (nil, $0.1 + 1) }
    }
    guard let end = body.firstIndex(where: ends) else {
      // So long a sequence is none.
      return body.count > 4096 ? (nil, bytes.count) : nil
    }
    let length = end - bytes.startIndex + 1
    // Another sequence, or a character that no sequence has, has cut this one off.
    guard (0x40...0x7e).contains(body[end]) || body[end] == 7 else { return (nil, length - 1) }
    let text = String(decoding: bytes.prefix(length).dropFirst(), as: UTF8.self)
    if text == "[200~" { pasted = [] }
    let number = text.dropFirst().prefix(while: \.isNumber)
    let name = text.dropFirst().drop { $0.isNumber || $0 == ";" }
    return (Self.keys[name == "~" ? "~\(number)" : String(name)], length)
  }

  /// The keys by what follows the numbers of their sequence. A tilde is told apart by a number.
  private static let keys: [String: Key] = [
    "A": .up, "B": .down, "C": .right, "D": .left, "H": .home, "F": .end, "Z": .backTab,
    "M": .enter, "~1": .home, "~7": .home, "~4": .end, "~8": .end, "~3": .delete, "~5": .pageUp,
    "~6": .pageDown,
  ]
}

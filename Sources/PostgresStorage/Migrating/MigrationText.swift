#if Postgres
/// The SQL of a migration's step, as the server takes it: statement by statement, and with `$1` for `?1`.
struct MigrationText {
  private(set) var statements: [String] = []
  private let text: [UInt8]
  private var place = 0
  private var statement: [UInt8] = []

  init(_ sql: String) {
    text = Array(sql.utf8)
    while place < text.count { readPart() }
    end()
  }

  /// Returns whether a statement changes tables, not rows.
  static func definesTables(_ statement: String) -> Bool {
    let word = statement.prefix { $0.isLetter }.uppercased()
    return ["ALTER", "CREATE", "DROP", "TRUNCATE"].contains(word)
  }

  private mutating func end() {
    let sql = String(decoding: statement, as: UTF8.self)
      .drop { $0.isWhitespace }
    if !sql.isEmpty { statements.append(String(sql)) }
    statement = []
  }

  private mutating func readPart() {
    switch text[place] {
    case UInt8(ascii: "'"), UInt8(ascii: "\""): take(through: [text[place]])
    case UInt8(ascii: "-") where starts("--"): take(through: [10], isKept: false)
    case UInt8(ascii: "/") where starts("/*"): take(through: Array("*/".utf8), isKept: false)
    case UInt8(ascii: "$"):
      // A text between two tags, such as $$ or $body$.
      let name = text[(place + 1)...].prefix { $0 == UInt8(ascii: "_") || $0.isLetterOrDigit }
      let end = place + 1 + name.count
      let isTag = end < text.count && text[end] == UInt8(ascii: "$")
      if isTag { take(through: Array(text[place...end])) } else { take() }
    case UInt8(ascii: ";"):
      place += 1
      end()
    case UInt8(ascii: "?") where place + 1 < text.count && text[place + 1].isDigit:
      statement.append(UInt8(ascii: "$"))
      place += 1
    default: take()
    }
  }

  private func starts(_ mark: String) -> Bool { text[place...].starts(with: mark.utf8) }

  private mutating func take() {
    statement.append(text[place])
    place += 1
  }

  /// Takes everything up to a mark that begins at the present place or after it, or up to the end.
  private mutating func take(through mark: [UInt8], isKept: Bool = true) {
    let start = place
    place += mark.count
    while place < text.count, !text[place...].starts(with: mark) { place += 1 }
    place = min(text.count, place + mark.count)
    if isKept { statement += text[start..<place] } else { statement.append(UInt8(ascii: " ")) }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
  fileprivate var isLetterOrDigit: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 32)
  }
}
#endif

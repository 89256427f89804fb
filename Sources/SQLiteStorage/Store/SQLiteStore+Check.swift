import ObjectGraph

/// A contradiction between parts of a store's file.
public struct Damage: Hashable, Sendable, CustomStringConvertible {
  /// The number of the file's damaged page; nil if SQLite names no page.
  public let page: Int?
  /// SQLite's description of the contradiction.
  public let message: String

  /// SQLite's description of the contradiction.
  public var description: String { message }
}

extension SQLiteStore {
  /// Reads the whole file, compares its parts with each other, and returns the contradictions.
  ///
  /// Other contexts and processes may read and write meanwhile. The check finds contradictions
  /// only. It does not find a change that leaves the structure intact, such as another letter in a
  /// text.
  ///
  /// - Complexity: O(size of the file).
  public func check() async throws -> [Damage] {
    try await runLongWork("check the store") { store, cancellation in
      try store.withOwnConnection { connection in
        try connection.cancellable(cancellation) { try Self.damages(connection) }
      }
    }
  }

  private static func damages(_ connection: Connection) throws -> [Damage] {
    var damages: [Damage] = []
    do {
      for row in try connection.rows("PRAGMA integrity_check(1000)") where row[0] != .text("ok") {
        for line in (row[0].text ?? "").split(separator: "\n") where !line.hasPrefix("***") {
          damages.append(Damage(page: page(in: line), message: String(line)))
        }
      }
      for row in try connection.rows("PRAGMA foreign_key_check") {
        guard let table = row[0].text, let id = row[1].integer, let target = row[2].text else {
          continue
        }
        damages.append(
          Damage(page: nil, message: "\(table)/\(id) refers to a \(target) that is not there"))
      }
    } catch let fault as SQLiteFault where fault.isDamage {
      damages.append(Damage(page: nil, message: fault.message))
    }
    return damages
  }

  /// Returns the number after the last word "page" in a line.
  private static func page(in line: Substring) -> Int? {
    let words = line.split(whereSeparator: { !$0.isLetter && !$0.isNumber })
    let number = Array(zip(words, words.dropFirst())).last { $0.0.lowercased() == "page" }?.1
    return number.flatMap { Int($0) }
  }
}

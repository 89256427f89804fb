import Foundation
import LineageTestSupport
import ObjectGraph
import SQLiteStorage
import Testing

@Suite("Random statements in SQL")
struct SQLRandomTests {
  private static let texts = ["a", "i1", "x'y", "\"", "é", "%", "?2", "--", "A"]

  /// Random parts of statements, each as the library runs it and as text for SQLite.
  private struct Generator {
    var random: SplitMix64

    mutating func literal() -> (SQL, String) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0:
        let value = Int.random(in: -3...40, using: &random)
        return ("\(value)", "\(value)")
      case 1:
        let value = Double(Int.random(in: -8...80, using: &random)) / 4
        return ("\(value)", "\(value)")
      case 2:
        let value: Int? = nil
        return ("\(value)", "NULL")
      case 3:
        let value = Bool.random(using: &random)
        return ("\(value)", value ? "1" : "0")
      default:
        let value = SQLRandomTests.texts.randomElement(using: &random) ?? ""
        return ("\(value)", "'\(value.replacing("'", with: "''"))'")
      }
    }

    mutating func expression(_ depth: Int) -> (SQL, String) {
      if depth == 0 {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return ("\(\Item.name)", "name")
        case 1: return ("count", "count")
        case 2: return ("\(Item.self).\(\Item.box)", "box")
        default: return literal()
        }
      }
      let (one, oneText) = expression(depth - 1)
      let (other, otherText) = expression(depth - 1)
      switch Int.random(in: 0..<8, using: &random) {
      case 0: return ("(\(one) + \(other))", "(\(oneText) + \(otherText))")
      case 1: return ("(\(one) || \(other))", "(\(oneText) || \(otherText))")
      case 2: return ("(\(one) < \(other))", "(\(oneText) < \(otherText))")
      case 3: return ("(\(one) is \(other))", "(\(oneText) is \(otherText))")
      case 4:
        return ("coalesce(\(one), \(other), 'none')", "coalesce(\(oneText), \(otherText), 'none')")
      case 5:
        let list = (0..<Int.random(in: 0..<4, using: &random)).map { $0 * 3 }
        // SQLite takes a literal `in ()` for the word FALSE, and `x is false` for a test of truth.
        let text =
          list.isEmpty ? "select null where 0" : list.map(String.init).joined(separator: ", ")
        return ("(\(one) in \(list))", "(\(oneText) in (\(text)))")
      case 6:
        return (
          "(select label || \(one) from \(Box.self) where label <> \(other) limit 1)",
          "(select label || \(oneText) from Box where label <> \(otherText) limit 1)"
        )
      default: return ("(\(one) and not \(other))", "(\(oneText) and not \(otherText))")
      }
    }

    mutating func statement() -> (SQL, String) {
      let (column, columnText) = expression(2)
      let (condition, conditionText) = expression(2)
      let (order, orderText) = expression(1)
      return (
        """
        select hex(cast(\(column) as blob)) from \(Item.self) where \(condition)
          order by \(order) || '', id
        """,
        "select hex(cast(\(columnText) as blob)) from Item where \(conditionText)"
          + " order by \(orderText) || '', id"
      )
    }
  }

  @Test("Each returns what SQLite itself returns for the statement with its values as text")
  func equal() async throws {
    let folder = try Drawer()
    let store = try await SQLiteStore.open(at: folder.file(), [Item.self, Box.self])
    let context = store.makeContext()
    let boxes = try (0..<3).map { try context.insert(Box(label: "b\($0)")) }
    for count in 0..<30 {
      let item = try context.insert(Item(name: "i\(count)", count: count % 7))
      item.box = count % 4 == 3 ? nil : boxes[count % 4]
    }
    try context.save()
    let seed = UInt64.random(in: 0..<1_000_000)
    var generator = Generator(random: SplitMix64(seed: seed))
    let statements = (0..<300).map { _ in generator.statement() }
    let script = statements.map { "select '----';" + $0.1 }.joined(separator: ";\n")
    let output = try ChildProcess.run(
      OtherProcess.probe.path, ["sql", folder.file().path, script]
    ).output
    let expected = output.components(separatedBy: "----\n").dropFirst().map { part in
      part.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }
    try #require(
      expected.count == statements.count, "seed \(seed): \(output.suffix(200))\n\(script)")
    var rows = 0
    for (statement, expected) in zip(statements, expected) {
      let found = try context.rows(statement.0, String?.self).map { $0 ?? "" }
      rows += found.count
      #expect(found == expected, "seed \(seed): \(statement.1)")
    }
    #expect(rows > 1000)
  }
}

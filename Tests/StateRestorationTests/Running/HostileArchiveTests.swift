import Foundation
import LineageTestSupport
import Testing

/// Tests with archives whose bytes are forged and whose checksums are valid. Each archive is
/// restored in a process of its own. The system limits the memory and the time of the process.
@Suite("A forged archive costs little memory and time, and its good records are restored")
struct HostileArchiveTests {
  /// The status and the output of a launch.
  private struct Account {
    let status: Int32
    let lines: [String]

    /// Returns the rest of each line that begins with the given word.
    func all(_ word: String) -> [String] {
      lines.filter { $0.hasPrefix("\(word) ") }.map { String($0.dropFirst(word.count + 1)) }
    }

    func number(_ word: String) -> Int { all(word).first.flatMap { Int($0) } ?? -1 }
  }

  private static func launch(_ attack: String) throws -> Account {
    let probe = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "LineageStateProbe")
    let (status, output) = try ChildProcess.run(probe.path, ["hostile", attack])
    return Account(status: status, lines: output.split(separator: "\n").map(String.init))
  }

  @Test(
    "Its bad record is accounted for",
    arguments: [
      // A value is refused by a typed error, which the app gets when it reads the value.
      ("deepArrays", "error It should be a dictionary, but it is an array."),
      ("deepDictionaries", "error It is nested deeper than 512 levels."),
      ("deepOptionals", "error It should be"),
      ("deepReferences", "error It should be an object of a context, but it is an array."),
      ("deepParts", "error Its bytes are damaged: they end where a value begins."),
      ("hugeLengths", "error Its bytes are damaged: a length is beyond their end."),
      ("wideArray", "error Its bytes are damaged: no value begins with the byte 99."),
      ("hugePath", "note victim: \"next\" misses"),
      // A record is damaged, or the report has a sentence.
      ("announcedValues", "damaged 1"), ("fewValues", "error Its bytes are damaged"),
      ("manyNeeds", "damaged 1"), ("manySlots", "damaged 1"), ("extremeHeader", "dropped 1"),
      ("farParents", "items 7"), ("hugeItem", "unused 15"),
      ("paddedKeys", "error Its bytes are damaged"),
      // These archives are large, and nothing is wrong with them.
      ("manyNames", "restored 4"), ("manyRecords", "carried 10000"),
      ("manyReferences", "restored 4"),
      ("longIdentifiers", "restored 1000"), ("longPaths", "restored 2700"),
      ("manyKeys", "restored 4"),
    ])
  func attacks(attack: String, expected: String) throws {
    let account = try Self.launch(attack)
    let text = account.lines.joined(separator: "\n")
    #expect(account.status == 0, "\(text)")
    #expect(account.lines.last == "ended", "\(text)")
    #expect(account.lines.contains { $0.hasPrefix(expected) }, "\(text)")
    #expect(account.all("error").allSatisfy { !$0.hasPrefix("not typed") }, "\(text)")
    #expect(account.all("siblings") == ["first,last"], "\(text)")
    #expect(account.all("again") == ["first,last true", "first,last true"], "\(text)")
    if !isSanitized {
      // The limit is in kilobytes. One part is for the launches and saves, and the other part is in
      // proportion to the archive.
      let most = 16_000 + 24 * account.number("bytes") / 1_000
      #expect(account.number("peak") <= most, "\(text)")
    }
  }
}

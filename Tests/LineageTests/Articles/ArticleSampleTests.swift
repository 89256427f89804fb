import Foundation
import LineageTestSupport
import Testing

/// Tests of the Swift samples in the articles. A sample must be in a file whose name begins with
/// `ArticleTests`, or state the error with which it does not compile.
///
/// The files are in three folders: this one, the module `LineageMainActorTests`, which is on the
/// main actor by default, and a folder of `StateRestorationTests`, whose files import neither
/// objects nor stores. The files of the program `LiveSessions` count as well. The tutorial's samples
/// are compiled together, by `TutorialTests`.
@Suite("The articles' samples", .hangGuard)
struct ArticleSampleTests {
  /// The folder of this file.
  private static let here = URL(filePath: #filePath).deletingLastPathComponent()
  private static let root = here.appending(path: "../../..").standardizedFileURL

  /// The folder with the samples of trees that have neither objects nor stores.
  private static let withoutStores = root.appending(path: "Tests/StateRestorationTests/Articles")

  /// The folder of the program that *On a server* shows.
  private static let program = root.appending(path: "Sources/LiveSessions")

  struct Sample: Sendable, CustomTestStringConvertible {
    let article: String
    let text: String
    var testDescription: String { "\(article): \(text.prefix(40))" }

    var errors: [String] {
      text.split(separator: "\n").compactMap { line in
        line.firstRange(of: "// error: ").map { String(line[$0.upperBound...]) }
      }
    }
  }

  /// Returns the code blocks of an article that are in the given language.
  private static func blocks(_ article: URL, _ language: String) throws -> [Sample] {
    try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```").enumerated()
      .compactMap { index, text in
        guard index % 2 == 1, text.hasPrefix(language + "\n") else { return nil }
        return Sample(
          article: article.lastPathComponent, text: String(text.dropFirst(language.count)))
      }
  }

  private static let samples: [Sample] = {
    let sources = root.appending(path: "Sources")
    let articles = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }
      .filter { $0.pathExtension == "md" && $0.lastPathComponent != "Tutorial.md" }
    return (articles ?? []).sorted { $0.path < $1.path }
      .flatMap { (try? blocks($0, "swift")) ?? [] }
  }()

  static func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty }
  }

  /// Returns the lines of the first code block of an article in the given language.
  static func lines(of article: String, _ language: String) throws -> [String] {
    let block = try #require(
      try blocks(root.appending(path: "Sources").appending(path: article), language).first)
    return lines(block.text)
  }

  @Test("Each is compiled here, to the letter", arguments: samples.filter(\.errors.isEmpty))
  func compiled(_ sample: Sample) throws {
    let files = try [
      Self.here, Self.root.appending(path: "Tests/LineageMainActorTests"), Self.withoutStores,
      Self.program,
    ]
    .flatMap {
      try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
    }
    .filter {
      $0.lastPathComponent.hasPrefix("ArticleTests") || $0.path.hasPrefix(Self.program.path)
    }
    let there = Self.lines(sample.text)
    let isHere = try files.contains { file in
      let all = Self.lines(try String(contentsOf: file, encoding: .utf8))
      // The copy may have expectations between the lines of the sample.
      return [all, all.filter { !$0.hasPrefix("#expect") }].contains { here in
        here.indices.contains { here[$0...].starts(with: there) }
      }
    }
    #expect(isHere, "not in ArticleTests: \(sample.text)")
  }

  @Test(
    "The others are refused with the error they name",
    arguments: samples.filter { !$0.errors.isEmpty })
  func refused(_ sample: Sample) throws {
    let preamble = """
      import Foundation
      import Lineage
      import Testing
      struct Card: Entity {
        var question = ""
        static let schema = Schema<Card>("Card") { Attribute("question", \\.question) }
      }

      """
    try ClientCompiler.expectRefusal(
      of: preamble + sample.text, errors: sample.errors.map { "error: " + $0 })
  }

  @Test("Those of StateRestoration's page need no other module of the package than the tree")
  func withoutStores() throws {
    let own = Set(
      try FileManager.default.contentsOfDirectory(
        atPath: Self.root.appending(path: "Sources").path))
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.withoutStores, includingPropertiesForKeys: nil
    )
    .filter { $0.lastPathComponent.hasPrefix("ArticleTests") }
    #expect(files.count > 1)
    for file in files {
      let imports = Self.lines(try String(contentsOf: file, encoding: .utf8))
        .filter { $0.contains("import ") }
        .compactMap { $0.split(separator: " ").last.map(String.init) }
        .filter(own.contains)
      #expect(imports == ["ResponderChain", "StateRestoration"], "\(file.lastPathComponent)")
    }
  }
}

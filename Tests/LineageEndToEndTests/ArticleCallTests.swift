import Foundation
import Testing

/// Tests that the articles name declarations that exist. A compiler checks the articles' samples,
/// but not the code in their sentences and tables.
///
/// A call such as `merge()` or `announce(_:of:)`, and a single word such as `announce`, must be a
/// declaration of the article's module or of a module that it imports. The declaration must be
/// visible outside its module. A word may also be a part of a sample in the article, or a text in
/// the sources, such as the name of a command.
@Suite("The articles name what there is")
struct ArticleCallTests {
  /// The words that are not declared in `Sources`, each with the reason.
  static let strangers = [
    "catch": "a keyword", "defer": "a keyword", "package": "a keyword", "exit": "a C function",
    "defaultIsolation": "a setting of SwiftPM", "sqlite3": "a program",
    "generation": "a column of the log's table", "writer": "a column of the log's table",
  ]

  @Test("Each call and each word in backticks is declared", arguments: try Article.all())
  func declared(_ article: Article) throws {
    let sources = try Sources.shared.get()
    let modules = sources.modules(documentedWith: article.module)
    for code in article.code {
      for complaint in sources.complaints(about: code, in: modules, article.samples) {
        Issue.record("\(article): `\(code)`: \(complaint)")
      }
    }
  }

  @Test("Each stranger is named in an article")
  func strange() throws {
    let words = Set(try Article.all().flatMap(\.code).flatMap { Sources.words($0[...]) })
    for name in Self.strangers.keys { #expect(words.contains(name), "\(name)") }
  }

  @Test(
    "A name that is gone is found",
    arguments: [
      ("announce", true), ("announce(_:of:)", true), ("announce(_:for:)", false),
      ("ObjectContext/fetch(_:where:)", true), ("ObjectContext/fetch(_:filter:)", false),
      ("tellOfEnd", false), ("expect", false), ("expect(_:)", false), ("merge()", true),
      ("Object/init(_:id:)", true), ("Object/init(_:key:)", false), ("try nothingSuch(1)", false),
      ("SELECT max(id) FROM Card", true), ("Wrong.name", true), ("--flag", true),
    ])
  func planted(_ code: String, _ isThere: Bool) throws {
    let sources = try Sources.shared.get()
    let modules = sources.modules(documentedWith: "ObjectGraph")
    #expect(sources.complaints(about: code, in: modules, []).isEmpty == isThere)
  }
}

/// An article or a page of a module's documentation.
struct Article: Sendable, CustomTestStringConvertible {
  let module: String
  let name: String
  /// The code in the article's sentences and tables.
  let code: [String]
  /// The words in the article's samples.
  let samples: Set<String>

  var testDescription: String { "\(module)/\(name)" }

  static func all() throws -> [Article] {
    try Sources.files("Sources", ".md").map { path in
      let blocks = try Sources.text(path).components(separatedBy: "```")
      let isSample = blocks.indices.map { !$0.isMultiple(of: 2) }
      let samples = zip(blocks, isSample).filter(\.1).flatMap { Sources.words($0.0[...]) }
      let prose = zip(blocks, isSample).filter { !$0.1 }.map { ownColumns($0.0) }
      return Article(
        module: Sources.module(of: path),
        name: URL(filePath: path).lastPathComponent,
        code: prose.flatMap { text in
          text.components(separatedBy: "`").enumerated().filter { !$0.0.isMultiple(of: 2) }
            .map(\.1)
        },
        samples: Set(samples))
    }
  }

  /// Returns the text without the first column of each table that compares another framework with
  /// Lineage, and with single backticks.
  private static func ownColumns(_ text: String) -> String {
    var compares = false
    return text.replacingOccurrences(of: "``", with: "`").components(separatedBy: "\n")
      .map { line in
        guard line.hasPrefix("|") else {
          compares = false
          return line
        }
        let cells = line.components(separatedBy: "|")
        if cells.dropFirst(2).first == " Lineage " { compares = true }
        return compares ? cells.dropFirst(2).joined(separator: "|") : line
      }.joined(separator: "\n")
  }
}

/// The declarations and the texts in the sources, by module.
struct Sources: Sendable {
  /// The names that are visible outside their module.
  private var names: [String: Set<String>] = [:]
  /// The argument labels of visible functions and initialisers, by module and name.
  private var labels: [String: [String: [[String]]]] = [:]
  private var texts: [String: Set<String>] = [:]
  private var imports: [String: Set<String>] = [:]
  private var documented: Set<String> = []

  static let shared = Result { try Sources() }

  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  static func files(_ folder: String, _ end: String) throws -> [String] {
    let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
    return try #require(all).compactMap { $0 as? String }.filter { $0.hasSuffix(end) }.sorted()
      .map { folder + "/" + $0 }
  }

  static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func words(_ text: Substring) -> [String] {
    text.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
  }

  private init() throws {
    for path in try Self.files("Sources", ".swift") {
      add(try Self.text(path), Self.module(of: path))
    }
    // The name of a case of the benchmarks is a text.
    for path in try Self.files("Benchmarks", ".swift") { add(try Self.text(path), "Benchmarks") }
    documented = Set(try Self.files("Sources", ".md").map(Self.module))
  }

  static func module(of path: String) -> String { path.components(separatedBy: "/")[1] }

  private mutating func add(_ text: String, _ module: String) {
    let lines = text.components(separatedBy: "\n")
    // The line that ends a protocol whose requirements are visible.
    var end: String?
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      guard !code.hasPrefix("//") else { continue }
      for text in line.components(separatedBy: "\"").enumerated()
      where !text.0.isMultiple(of: 2) && text.1.allSatisfy(\.isLetter) {
        texts[module, default: []].insert(text.1)
      }
      if let last = end, line.hasPrefix(last) { end = nil }
      let words = Self.words(code)
      if words.contains("import"), let name = words.last {
        imports[module, default: []].insert(name)
      }
      let isVisible =
        end != nil || words.contains { ["public", "package", "open", "case"].contains($0) }
      guard isVisible else { continue }
      if words.contains("protocol") {
        end = String(repeating: " ", count: line.count - code.count) + "}"
      }
      for (keyword, name) in zip(words, words.dropFirst()) where Self.keywords.contains(keyword) {
        names[module, default: []].insert(name)
        if ["func", "case"].contains(keyword) { add(name, lines[index...], module) }
      }
      if words.first == "case" { names[module]?.formUnion(words) }
      if words.contains("init") { add("init", lines[index...], module) }
    }
  }

  private static let keywords: Set<String> = [
    "func", "var", "let", "case", "class", "struct", "enum", "protocol", "typealias", "macro",
    "associatedtype", "actor",
  ]

  /// Adds the labels of a function, or of a case, whose declaration begins in the first line.
  private mutating func add(_ name: String, _ lines: ArraySlice<String>, _ module: String) {
    names[module, default: []].insert(name)
    let text = lines.prefix(20).joined(separator: " ")
    guard let place = text.firstRange(of: name == "init" ? "init" : " \(name)") else { return }
    var depth = 0
    var parameters = [""]
    for character in text[place.upperBound...].drop(while: { $0 != "(" }) {
      switch character {
      case "(", "[", "{", "<": depth += 1
      case ">" where parameters[parameters.count - 1].hasSuffix("-"): break
      case ")", "]", "}", ">": depth -= 1
      case "," where depth == 1: parameters.append("")
      default: break
      }
      if depth == 0 { break }
      parameters[parameters.count - 1].append(character)
    }
    let found = parameters.compactMap { parameter -> String? in
      // The values of a case need no labels.
      guard parameter.contains(":") else { return "_" }
      let words = parameter.prefix { $0 != ":" }.split { " (,".contains($0) }
      return words.first { !$0.hasPrefix("@") }.map(String.init)
    }
    labels[module, default: [:]][name, default: []].append(found)
  }

  /// Returns a module, the modules that it imports, and the programs without documentation of their
  /// own that import it.
  func modules(documentedWith module: String) -> Set<String> {
    let programs = imports.filter { $0.value.contains(module) && !documented.contains($0.key) }
    var found: Set = [module, "Benchmarks"]
    var next = [module] + programs.keys.filter { $0 != "Benchmarks" }
    while let name = next.popLast() {
      found.insert(name)
      next += (imports[name] ?? []).filter { !found.contains($0) }
    }
    return found
  }

  /// Returns what is wrong with the calls, or the word, of a piece of code in an article.
  func complaints(
    about code: String, in modules: Set<String>, _ samples: Set<String>
  ) -> [String] {
    func isKnown(_ name: String) -> Bool {
      samples.contains(name) || ArticleCallTests.strangers[name] != nil
        || modules.contains { names[$0]?.contains(name) == true }
    }
    // Words in capitals are SQL.
    guard !Self.words(code[...]).contains(where: { $0.count > 3 && $0 == $0.uppercased() }) else {
      return []
    }
    if code.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      code.first?.isLowercase == true
    {
      let isText = modules.contains { texts[$0]?.contains(code) == true }
      return isKnown(code) || isText ? [] : ["there is no \(code)"]
    }
    let parts = code.components(separatedBy: "(")
    return zip(parts, parts.dropFirst()).compactMap { before, after in
      guard before.last?.isLetter == true, let name = Self.words(before[...]).last else {
        return nil
      }
      guard isKnown(name) || name == "init" else { return "there is no \(name)" }
      let given = after.prefix { $0 != ")" }
      guard given.hasSuffix(":"), !given.contains(" ") else { return nil }
      let wanted = given.split(separator: ":").map(String.init)
      let function = name.first?.isUppercase == true ? "init" : name
      let known = modules.flatMap { labels[$0]?[function] ?? [] }
      return known.contains { Self.isPart(wanted, of: $0) } ? nil : "no \(name) has these labels"
    }
  }

  /// Tells whether labels are among other labels, in the same order. An article may leave out
  /// arguments that have a default.
  private static func isPart(_ labels: [String], of others: [String]) -> Bool {
    var rest = others[...]
    return labels.allSatisfy { label in
      guard let place = rest.firstIndex(of: label) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }
}

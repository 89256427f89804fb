import Foundation
import Testing

/// A documentation comment begins with its subject, and that of a function with a verb in the third
/// person. The form of the verb is checked, not which verb it is. An editor shows the comment alone,
/// where "What was read" or "The same, for many" says nothing.
@Suite("Comments are plain")
struct CommentTests {
  /// The folders whose comments are checked.
  static let folders = ["Benchmarks", "Sources", "Tests"]

  /// The beginnings that name no subject.
  static let vagueBeginnings = [
    "How", "Nobody", "So many", "Somebody", "The same", "Those", "What", "Who", "Whoever", "Whose",
  ]

  @Test("They begin with their subject, those of functions with a verb", arguments: folders)
  func plain(_ folder: String) throws {
    let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
    let files = FileManager.default.enumerator(atPath: root.appending(path: folder).path)?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }.sorted()
    for file in try #require(files) {
      let path = "\(folder)/\(file)"
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      for comment in DocumentationComment.all(in: text) {
        guard let complaint = Self.complaint(about: comment) else { continue }
        Issue.record("\(path):\(comment.line): \(complaint): \(comment.beginning)")
      }
    }
  }

  @Test(
    "Bad beginnings are found",
    arguments: [
      ("/// Returns it.\nfunc find()", true),
      ("/// The thing.\nfunc find()", false),
      ("/// The thing.\nvar thing = 1", true),
      ("/// What is found.\nvar thing = 1", false),
      ("/// Whatever is found.\nvar thing = 1", true),
      ("/// The same, for many.\ninit()", false),
      ("/// Returns it.\n///\n/// What it is.\nfunc find()", true),
      ("/// Cards.\n@Test(\n  \"a ) func\", arguments: [(1, 2)])\n// why\nfunc find()", false),
      ("/// Cards.\n@MainActor public private(set) static var functions = 1", true),
      ("/// Cards.\n  #if DEBUG\n  package final class func find()", false),
      ("/// Cards\nfunc find()", false),
      ("/// `Cards` are found.\nfunc find()", false),
      ("/// Cards are found.\nfunc find()", false),
      ("/// This function finds it.\nfunc find()", false),
      ("/// Returning it.\nfunc find()", false),
      ("/// Return it.\nfunc find()", false),
      ("/// Process it.\nfunc find()", false),
      ("/// Rehydrates it.\nfunc find()", true),
    ])
  func planted(_ text: String, _ isPlain: Bool) throws {
    let comment = try #require(DocumentationComment.all(in: text).first)
    #expect((Self.complaint(about: comment) == nil) == isPlain)
  }

  /// Returns a fault of the comment's beginning; nil if it is plain.
  private static func complaint(about comment: DocumentationComment) -> String? {
    for beginning in vagueBeginnings where comment.beginning.hasPrefix(beginning) {
      let next = comment.beginning.dropFirst(beginning.count).first
      if next?.isLetter != true { return "it begins with “\(beginning)”" }
    }
    guard comment.isOfFunction else { return nil }
    let words = comment.beginning.split(separator: " ", maxSplits: 2)
    guard words.count > 1, isThirdPerson(words[0].last == "," ? words[0].dropLast() : words[0])
    else {
      return "it does not begin with a verb in the third person and an object"
    }
    return plurals.contains(String(words[1])) ? "it begins with a plural" : nil
  }

  /// The words that follow a plural at the beginning of a sentence, where a verb has its object.
  private static let plurals: Set = ["are", "were", "have", "do", "can", "may", "must"]

  /// Returns whether a word has the form of a verb in the third person.
  private static func isThirdPerson(_ word: Substring) -> Bool {
    word.allSatisfy(\.isLetter) && word.first?.isUppercase == true && word.hasSuffix("s")
      && !["ss", "us", "is", "as"].contains { word.lowercased().hasSuffix($0) }
      || word == "Has"
  }
}

/// A comment that begins with three slashes, and the declaration below it.
private struct DocumentationComment {
  /// The number of its first line.
  let line: Int
  /// The text of its first line.
  let beginning: String
  let isOfFunction: Bool

  /// Returns the comments of a file.
  static func all(in text: String) -> [DocumentationComment] {
    let lines = text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    var comments: [DocumentationComment] = []
    var line = 0
    while line < lines.count {
      guard lines[line].hasPrefix("///") else {
        line += 1
        continue
      }
      let first = line
      while line < lines.count, lines[line].hasPrefix("///") { line += 1 }
      comments.append(
        DocumentationComment(
          line: first + 1,
          beginning: lines[first].dropFirst(3).trimmingCharacters(in: .whitespaces),
          isOfFunction: isFunction(lines[line...])))
    }
    return comments
  }

  private static let modifiers: Set<String> = [
    "borrowing", "class", "consuming", "convenience", "distributed", "fileprivate", "final",
    "indirect", "infix", "internal", "isolated", "mutating", "nonisolated", "nonmutating", "open",
    "override", "package", "postfix", "prefix", "private", "public", "required", "static", "unsafe",
  ]

  /// Tells whether the lines begin with a function, after its attributes and modifiers.
  private static func isFunction(_ lines: ArraySlice<String>) -> Bool {
    var depth = 0
    for line in lines.prefix(40) where !line.hasPrefix("//") && !line.hasPrefix("#") {
      var rest = depth == 0 ? line[...] : afterArguments(line[...], &depth)
      while depth == 0, let first = rest.first {
        if first == " " {
          rest = rest.dropFirst()
        } else if first == "@" {
          rest = rest.dropFirst().drop { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
          if rest.first == "(" { rest = afterArguments(rest, &depth) }
        } else {
          let word = rest.prefix { $0.isLetter }
          guard modifiers.contains(String(word)) else { return word == "func" }
          rest = rest.dropFirst(word.count)
          if rest.first == "(" { rest = afterArguments(rest, &depth) }
        }
      }
    }
    return false
  }

  /// Skips arguments in parentheses, which may go on in the next line, and returns the rest.
  private static func afterArguments(_ text: Substring, _ depth: inout Int) -> Substring {
    var isInText = false
    var isEscaped = false
    for index in text.indices {
      switch text[index] {
      case _ where isEscaped: isEscaped = false
      case "\\": isEscaped = true
      case "\"": isInText.toggle()
      case "(" where !isInText: depth += 1
      case ")" where !isInText:
        depth -= 1
        if depth == 0 { return text[text.index(after: index)...] }
      default: break
      }
    }
    return ""
  }
}

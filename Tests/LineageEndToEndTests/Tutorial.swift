import Foundation
import LineageTestSupport
import Testing

/// The steps of the tutorial's article.
struct Tutorial {
  /// A step: the changes of the program's files, and what a terminal shows.
  struct Step {
    let title: String
    fileprivate(set) var changes: [FileChange] = []
    fileprivate(set) var session: [String] = []
    fileprivate(set) var hasTask = false

    /// The number of lines of code.
    var length: Int {
      changes.flatMap { $0.text.split(separator: "\n") }.count { line in
        !line.allSatisfy(\.isWhitespace)
      }
    }
  }

  private(set) var steps: [Step] = []

  /// Reads the article. A line before each sample says where it goes.
  init() throws {
    let article = try Sources.text("Sources/Lineage/Lineage.docc/Tutorial.md")
    for section in article.components(separatedBy: "\n## ").dropFirst() {
      guard section.first?.isNumber == true else { continue }
      var step = Step(title: String(section.prefix { !$0.isNewline }))
      let blocks = section.components(separatedBy: "```")
      for (words, block) in zip(blocks, blocks.dropFirst()) where !block.isEmpty {
        if block.hasPrefix("swift\n") {
          let place = try #require(words.split(separator: "\n").last)
          step.changes.append(try FileChange(place, String(block.dropFirst(6))))
        } else if words.hasSuffix(":\n\n") {
          step.session += block.dropFirst().dropLast().components(separatedBy: "\n")
        }
      }
      step.hasTask = blocks.last?.contains("**Try:**") == true
      steps.append(step)
    }
  }
}

/// A change of a file by a sample in the tutorial.
struct FileChange {
  private enum Place {
    case wholeFile
    /// The end of the function whose declaration contains this text.
    case end(String)
    /// The place of a text, which occurs once.
    case instead(String)
  }

  let text: String
  private let file: String
  private let place: Place

  /// Reads the line before the sample, such as "`CardForm.swift`, at the end of `init`:".
  fileprivate init(_ words: Substring, _ text: String) throws {
    let code = words.components(separatedBy: "`").enumerated().filter { !$0.0.isMultiple(of: 2) }
      .map(\.1)
    self.text = text
    file = try #require(code.first { $0.hasSuffix(".swift") })
    if words.contains("at the end of"), code.count == 2 {
      place = .end(code[1])
    } else if words.contains("instead of"), code.count == 2 {
      place = .instead(code[1])
    } else {
      try #require(words.hasSuffix("a new file:") || words.hasSuffix("from now on:"), "\(words)")
      place = .wholeFile
    }
  }

  /// Changes the files of the program.
  func apply(to files: inout [String: String]) throws {
    guard case .wholeFile = place else {
      files[file] = try changed(try #require(files[file]))
      return
    }
    files[file] = text
  }

  private func changed(_ old: String) throws -> String {
    switch place {
    case .wholeFile: return text
    case .instead(let part):
      try #require(old.components(separatedBy: part).count == 2, "\(part) in \(file)")
      return old.replacingOccurrences(
        of: part, with: text.trimmingCharacters(in: .whitespacesAndNewlines))
    case .end(let name):
      var lines = old.components(separatedBy: "\n")
      let start = try #require(lines.firstIndex { $0.contains(" \(name)(") })
      let end = String(lines[start].prefix { $0 == " " }) + "}"
      let place = try #require(lines[start...].firstIndex(of: end))
      lines.insert(text, at: place)
      return lines.joined(separator: "\n")
    }
  }
}

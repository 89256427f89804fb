/// The options and files of a command line.
struct Arguments: Equatable {
  var suites: [Suite] = Suite.allCases
  /// The names of the cases that are measured. If the set is empty, all cases are measured.
  var cases: Set<String> = []
  var effort = Effort.standard
  /// The path of the file for the results as JSON; `-` is standard output.
  var jsonPath: String?
  var htmlPath = "benchmark.html"
  var markdownPath: String?
  var seed: UInt64 = 1
  var wantsList = false
  var wantsHelp = false
  /// The files that `--compare` names; nil without this option. If there are such files, nothing is
  /// measured.
  var compared: ComparedFiles?
}

/// An error in the command line, described by one sentence.
struct ArgumentError: Error, Equatable, CustomStringConvertible {
  let description: String
}

extension Arguments {
  /// Whether the JSON is written to standard output. All other texts then go to standard error.
  var printsJSON: Bool { jsonPath == "-" }

  /// Creates the arguments from the words after the program's name.
  init(parsing words: [String]) throws(ArgumentError) {
    self.init()
    var named: [Suite] = []
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("-") else {
        named.append(try Self.suite(word))
        continue
      }
      var option = Option(word)
      if option.name == "--compare" {
        guard words.first == "--compare" else {
          throw ArgumentError(
            description: "Before --compare nothing is expected, and after it files; see --help.")
        }
        compared = try ComparedFiles(parsing: rest)
        return
      }
      try apply(&option, &rest)
      if option.inlineValue != nil {
        throw ArgumentError(description: "The option \(option.name) takes no value.")
      }
    }
    if !named.isEmpty { suites = Suite.allCases.filter(named.contains) }
  }

  private mutating func apply(
    _ option: inout Option, _ rest: inout ArraySlice<String>
  ) throws(ArgumentError) {
    switch option.name {
    case "--quick": try choose(.quick)
    case "--full": try choose(.full)
    case "--json": jsonPath = try option.takeValue("a file, or - for standard output", from: &rest)
    case "--html": htmlPath = try option.takeFile(from: &rest)
    case "--markdown": markdownPath = try option.takeFile(from: &rest)
    case "--seed":
      let value = try option.takeValue("a number", from: &rest)
      guard let number = UInt64(value) else {
        throw ArgumentError(
          description: "The option --seed needs a whole number from 0 on, not “\(value)”.")
      }
      seed = number
    case "--case": cases.insert(try option.takeValue("a case's name", from: &rest))
    case "--list": wantsList = true
    case "--help", "-h": wantsHelp = true
    default:
      throw ArgumentError(description: "There is no option \(option.name); see --help.")
    }
  }

  private mutating func choose(_ chosen: Effort) throws(ArgumentError) {
    guard effort == .standard || effort == chosen else {
      throw ArgumentError(description: "Choose one of --quick and --full, not both.")
    }
    effort = chosen
  }

  private static func suite(_ word: String) throws(ArgumentError) -> Suite {
    guard let suite = Suite(rawValue: word) else {
      let known = Suite.allCases.map(\.rawValue).joined(separator: ", ")
      throw ArgumentError(description: "There is no suite “\(word)”; there is \(known).")
    }
    return suite
  }
}

/// One word that begins with a dash, such as `--json` or `--json=file`.
private struct Option {
  let name: String
  private(set) var inlineValue: String?

  init(_ word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    inlineValue = parts.count > 1 ? String(parts[1]) : nil
  }

  mutating func takeValue(
    _ what: String, from rest: inout ArraySlice<String>
  ) throws(ArgumentError) -> String {
    let inline = inlineValue
    inlineValue = nil
    if let value = inline, !value.isEmpty { return value }
    if inline == nil, let value = rest.first, !value.isEmpty, value == "-" || !value.hasPrefix("-")
    {
      rest.removeFirst()
      return value
    }
    throw ArgumentError(description: "The option \(name) needs \(what).")
  }

  /// Takes the option's value as the name of a file. Throws for `-`, which means standard output in
  /// other options.
  mutating func takeFile(from rest: inout ArraySlice<String>) throws(ArgumentError) -> String {
    let path = try takeValue("a file", from: &rest)
    if path == "-" { throw ArgumentError(description: "The option \(name) needs a file.") }
    return path
  }
}

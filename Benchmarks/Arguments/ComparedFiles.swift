/// The result files of two commits, A and B, each file from one run.
struct ComparedFiles: Equatable {
  let a: [String]
  let b: [String]

  /// Creates the two lists from the words after `--compare`: the files of A, two dashes, the files
  /// of B.
  init(parsing words: ArraySlice<String>) throws(ArgumentError) {
    let sides = words.split(separator: "--", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
      throw ArgumentError(
        description: "The option --compare needs files on both sides of --: A.json … -- B.json ….")
    }
    if let word = words.first(where: { $0.isEmpty || $0.hasPrefix("-") && $0 != "--" }) {
      throw ArgumentError(description: "The option --compare takes files, and “\(word)” is none.")
    }
    if sides[1].contains("--") {
      throw ArgumentError(description: "The option --compare takes -- once.")
    }
    (a, b) = (Array(sides[0]), Array(sides[1]))
  }
}

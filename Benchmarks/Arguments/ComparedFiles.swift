/// The files with the runs of two commits.
struct ComparedFiles: Equatable {
  let a: [String]
  let b: [String]

  /// Reads the words after `--compare`: files of A, two dashes, files of B.
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

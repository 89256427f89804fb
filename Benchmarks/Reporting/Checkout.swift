import Foundation

/// The working tree that the program was built from.
package enum Checkout {
  /// The commit of the working tree; nil without git. If the program's files differ from the
  /// commit, a remark is added.
  static var commit: String? {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    // The pages of results among the sources are excluded, because they are not part of the
    // program.
    let built = "Package.swift Sources Benchmarks ':(exclude)Benchmarks/*.md'"
    let folder = "'\(root.path.replacing("'", with: #"'\''"#))'"
    let status = output(
      of: "git --no-optional-locks -C \(folder) status --porcelain=v2 --branch "
        + "--untracked-files -- \(built) </dev/null 2>/dev/null")
    return status.flatMap(commit(in:))
  }

  /// Returns the commit that the output of `git status --porcelain=v2 --branch` names; nil if it
  /// names none.
  package static func commit(in status: String) -> String? {
    let prefix = "# branch.oid "
    let lines = status.split(separator: "\n")
    guard let line = lines.first(where: { $0.hasPrefix(prefix) }) else { return nil }
    let commit = line.dropFirst(prefix.count)
    guard commit.allSatisfy(\.isHexDigit) else { return nil }
    return commit + (lines.contains { !$0.hasPrefix("#") } ? uncommitted : "")
  }

  private static let uncommitted = ", with changes that are not committed"

  /// Returns the output of a shell command; nil if the command fails.
  ///
  /// The function uses `popen`, because Foundation's `Process` leaks memory for each process.
  private static func output(of line: String) -> String? {
    guard let stream = popen(line, "r") else { return nil }
    let data = try? FileHandle(fileDescriptor: fileno(stream)).readToEnd()
    guard pclose(stream) == 0 else { return nil }
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}

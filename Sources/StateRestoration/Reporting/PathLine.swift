/// The identifiers of a path in one line, for messages.
///
/// A path may be very long, and a report may have a thousand messages about the records below it.
/// So only the last identifiers of a long path are in the line, and only the beginnings of long
/// identifiers.
struct PathLine {
  private var names: [String] = []
  private var isWhole = true

  /// The greatest number of identifiers in a line.
  private static let count = 50
  /// The greatest number of Unicode scalars of an identifier in a line.
  private static let length = 100

  /// Adds the identifier above those that were added before.
  ///
  /// - Returns: false if the line has no room for it, nor for those above it.
  mutating func add(_ identifier: String) -> Bool {
    guard names.count < Self.count else {
      isWhole = false
      return false
    }
    let scalars = identifier.unicodeScalars.prefix(Self.length)
    let isShort = scalars.endIndex == identifier.endIndex
    names.append(isShort ? identifier : "\(String(scalars))…")
    return true
  }

  /// Returns the line; nil if the path has no identifiers.
  var text: String? {
    guard !names.isEmpty else { return nil }
    let line = names.reversed().joined(separator: " › ")
    return isWhole ? line : "… › \(line)"
  }
}

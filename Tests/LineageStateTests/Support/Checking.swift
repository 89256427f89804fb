import Foundation

/// Returns the first Unicode scalar that is unsafe to print on a terminal; nil if there is none.
///
/// The rules come from the standards of terminals and Unicode, not from the tool's code.
func unsafeScalar(in text: String) -> Unicode.Scalar? {
  text.unicodeScalars.first { scalar in
    switch scalar.value {
    case 0x0A: false
    case 0..<0x20, 0x7F...0x9F: true
    // Direction marks and overrides, line separators, and invisible characters.
    case 0xAD, 0x61C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
    case 0xE0000...0xE007F: true
    default: false
    }
  }
}

extension ToolResult {
  /// The rule that the result breaks; nil if it breaks none. The rules apply to all commands and
  /// all input files.
  var complaint: String? {
    if ![0, 1, 2].contains(status) { return "the status is \(status)" }
    for text in [output, errors] {
      if let scalar = unsafeScalar(in: text) { return "the output has U+\(scalar.value)" }
    }
    if status == 2, !output.isEmpty, !errors.isEmpty { return "a command ended in the middle" }
    return nil
  }
}

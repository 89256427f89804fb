import Foundation

/// The one meaning of "disregarding case and diacritics", in memory and in stores.
///
/// Case: of each scalar the lower case, of that the upper case, of that the lower case, so that `ß`
/// and its capital are `ss` and `ς` is `σ`; no language is special. Diacritics: the combining marks
/// that Unicode calls diacritics are taken off, so that `é` in one scalar or in two is `e`; the
/// marks of Indic vowels and of Japanese voiced syllables stay, as they make other letters. `ø` and
/// `ł` are letters of their own.
package enum Folding {
  /// The text without what the options disregard; itself if they disregard nothing.
  package static func fold(_ text: String, options: TextOptions) -> String {
    if options.isEmpty { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return options.contains(.caseInsensitive) ? text.lowercased() : text
    }
    let cased = options.contains(.caseInsensitive) ? foldCase(text) : text
    return options.contains(.diacriticInsensitive) ? foldDiacritics(cased) : cased
  }

  private static func foldCase(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      // The capital sharp s has no upper case but a lower one, whose upper case is two letters.
      for lower in scalar.properties.lowercaseMapping.unicodeScalars {
        for upper in lower.properties.uppercaseMapping.unicodeScalars {
          result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }
    return String(result)
  }

  private static func foldDiacritics(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars
    where !isDiacritic(scalar) {
      result.append(scalar)
    }
    // Composed again, so that half a Korean syllable is not found in a whole one.
    return String(result).precomposedStringWithCanonicalMapping
  }

  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    // Classes below ten are those that make other letters: overlays, nuktas, voicing, viramas.
    return properties.isDiacritic && properties.generalCategory == .nonspacingMark
      && properties.canonicalCombiningClass.rawValue >= 10
  }
}

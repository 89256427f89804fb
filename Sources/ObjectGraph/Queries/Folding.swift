import Foundation

/// The removal of differences in case and diacritics from texts. It is the same in memory and
/// stores.
///
/// Case: each scalar is mapped to lower case, then upper case, then lower case again. So `ß` and
/// its capital become `ss`, and `ς` becomes `σ`. The rules are the same for all languages.
///
/// Diacritics: the combining marks that Unicode calls diacritics are removed, so that `é`, as one
/// scalar or two, becomes `e`. The marks of Indic vowels and of Japanese voiced syllables are kept,
/// because they make other letters. `ø` and `ł` are letters of their own and stay as they are.
package enum Folding {
  /// Returns the text without the differences that the options ignore.
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
      // The capital sharp s has no upper case. Its lower case has one, which consists of two
      // letters.
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
    // The text is composed again, so that a search for half a Korean syllable finds no whole
    // syllable.
    return String(result).precomposedStringWithCanonicalMapping
  }

  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    // Combining classes below ten make other letters: overlays, nuktas, voicing marks and viramas.
    return properties.isDiacritic && properties.generalCategory == .nonspacingMark
      && properties.canonicalCombiningClass.rawValue >= 10
  }
}

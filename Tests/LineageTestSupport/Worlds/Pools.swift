import Foundation

/// Values that some stores and languages treat differently, and a few plain ones.
enum Pool {
  static let integers = [0, 1, -1, 2, 3, 1 << 53, (1 << 53) + 1, .max, .max - 1, .min, .min + 1]
  /// Returns zero, the least and the greatest integer of a type, and their neighbours.
  static func ends<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> [Value] {
    let ends: [Value] = [0, 1, 0 &- 1, .min, .min + 1, .max - 1, .max]
    return Set(ends).sorted()
  }
  /// Returns unsigned integers of 64 bits that a store can hold: `Int64.max` and below.
  static func storable<Value: UnsignedInteger & FixedWidthInteger>() -> [Value] {
    [0, 1, 1 << 53, Value(Int64.max) - 1, Value(Int64.max)]
  }
  /// Returns unsigned integers of 64 bits. A store cannot hold values above `Int64.max`, but a
  /// filter can have them as literals.
  static func unsigned<Value: UnsignedInteger & FixedWidthInteger>() -> [Value] {
    storable() + [Value(Int64.max) + 1, .max - 1, .max]
  }
  static let doubles: [Double] = [
    0, -0.0, 1, 1.5, -1, 0.1, 0x1p53, 0x1p63, -0x1p63, .leastNonzeroMagnitude,
    .greatestFiniteMagnitude, .infinity, -.infinity,
  ]
  static let floats: [Float] = [0, 1, 1.5, 0.1, -0.1, .greatestFiniteMagnitude, -.infinity]
  /// Decimals that sort differently by number and by text. Some numbers are there in several forms.
  static let decimals: [Decimal] = {
    let texts = [
      "0", "1", "-1", "2", "10", "-10", "9", "-9", "1.5", "1.05", "-1.5", "0.1", "-0.1", "100",
      "99.99", "340282366920938463463374607431768211455",
      "-3.40282366920938463463374607431768211455",
      "1e127", "-1e127", "1e-128", "-1e-128", "12345678901234567890.123456789",
    ]
    let loose: [Decimal] = [
      .loose(-1, 10), .loose(-2, 150), .loose(-128, 1000), .loose(1, 10), .loose(5, 0),
    ]
    let most = Decimal.greatestFiniteMagnitude
    return texts.compactMap { Decimal(string: $0) } + loose + [most, -most]
  }()
  static let dates =
    [0, 1, -1, 0.1, 700_000_000.123456, -63_114_076_800, 64_092_211_200, 1e300].map {
      Date(timeIntervalSinceReferenceDate: $0)
    }
  static let datas = [[], [0], [0, 0], [1], [1, 2], [255], [0x61]].map { Data($0) }
  static let uuids = [
    "00000000-0000-0000-0000-000000000000", "0A0B0C0D-0000-4000-8000-000000000001",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  ].compactMap { UUID(uuidString: $0) }
  static let links = ["https://example.org/a?b=c", "file:///tmp/x", "https://example.org/"]
    .compactMap { URL(string: $0) }
  /// Texts that look equal, or are equal in some languages, but differ in their bytes. Others have
  /// NUL or a character that SQL or a pattern treats specially.
  static let texts = [
    "", "a", "A", "b", "ab", "aB", "\u{E9}", "e\u{301}", "\u{C9}", "E\u{301}", "e", "ß", "ss", "SS",
    "ſ", "İ", "i\u{307}", "ı", "I", "i", "Σ", "σ", "ς", "ø", "o", "Å", "\u{212B}", "A\u{30A}",
    "한", "\u{1112}\u{1161}\u{11AB}", "하", "が", "\u{304B}\u{3099}", "か", "कु", "क", "ﬁ", "fi",
    "😀", "👩‍👩‍👧", "👩", "\u{FFFD}", "\u{FFFF}", "\u{10FFFF}", "nul\0inside", "nul", "a\0", "\0",
    "%", "_", "a%", "*", "'", "\"", "\\", " ", "a ", "1", "1.0", "NULL",
  ]
}

extension SplitMix64 {
  /// Draws one text of the pool, or several that are joined.
  mutating func text() -> String {
    var text = pick(Pool.texts)
    while chance(30) { text += pick(Pool.texts) }
    return text
  }

  /// Draws a value in four of five cases, and nil otherwise.
  mutating func maybe<Value>(_ value: (inout SplitMix64) -> Value) -> Value? {
    chance(20) ? nil : value(&self)
  }
}

/// The phase and the record that the crash guard's page names. Both are in one integer of 64 bits,
/// so that one memory write changes both.
///
/// ```text
/// word = record:u32 phase:u8 check:u24
/// ```
package struct GuardWord: Equatable {
  package let raw: UInt64

  /// The word while no code of the app runs for the restoration.
  package static var idle: GuardWord { GuardWord(raw: 0) }

  /// The word while no code of the app runs, and the app has not confirmed the launch yet.
  package static var unconfirmed: GuardWord { GuardWord(.unconfirmed, noRecord) }

  /// The record number in a word that names no record.
  package static var noRecord: UInt32 { .max }

  /// Makes a word from the bits in the page, which may be damaged.
  package init(raw: UInt64) { self.raw = raw }

  package init(_ phase: RestorationPhase, _ record: UInt32) {
    let low = UInt64(phase.rawValue) << 32 | UInt64(record)
    raw = low | Self.check(low)
  }

  /// Returns the check bits of a word, which reveal damage.
  @inline(__always)
  private static func check(_ low: UInt64) -> UInt64 {
    (low &* 0x9E37_79B9_7F4A_7C15) & 0xFFFF_FF00_0000_0000
  }

  /// The phase and the record; nil if the word is ``idle``, or if it is damaged.
  package var content: (phase: RestorationPhase, record: UInt32)? {
    let low = raw & 0xFF_FFFF_FFFF
    guard raw != 0, raw == low | Self.check(low),
      let phase = RestorationPhase(rawValue: UInt8(low >> 32)), phase != .idle
    else { return nil }
    return (phase, UInt32(truncatingIfNeeded: low))
  }
}

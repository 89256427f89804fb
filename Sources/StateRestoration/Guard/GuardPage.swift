import LineageFiles

/// The layout of the crash guard's page, a file that is mapped into memory.
///
/// ```text
/// page  = "LINGUARD" 1:u8 0:u8*7 word:u64 generation:u64 path:u64 launch:u64 ... state ... state
/// ```
///
/// Integers are little-endian. The word at offset 16 says which code runs; see ``GuardWord``. The
/// field `launch` is the sequence number that the state had when the word was written. If the state
/// has a higher number now, the crash that the word names was counted already.
///
/// The two states are at the offsets 512 and 2304; see ``GuardState``. The state with the higher
/// sequence number is read, and the next write replaces the other state. So if a process is killed
/// while it writes one state, the other is still whole.
package enum GuardPage {
  static var wordOffset: Int { 16 }
  static var generationOffset: Int { 24 }
  static var pathOffset: Int { 32 }
  static var launchOffset: Int { 40 }
  package static let stateOffsets = [512, 2304]
  package static let stateRoom = 1792

  /// The first sixteen bytes of a page.
  package static let magic = Array("LINGUARD".utf8) + [1, 0, 0, 0, 0, 0, 0, 0]

  /// Returns whether bytes are those of a guard page. A new page has only zeros.
  package static func isPage(_ bytes: [UInt8]) -> Bool {
    bytes.starts(with: magic) || bytes.allSatisfy { $0 == 0 }
  }

  /// Returns the format of a page that a newer version has written; nil for any other bytes.
  package static func laterFormat(of bytes: [UInt8]) -> Int? {
    let name = magic.prefix(8)
    guard bytes.count > name.count, bytes.starts(with: name), bytes[name.count] > magic[name.count]
    else { return nil }
    return Int(bytes[name.count])
  }

  /// Returns the newest state in a page; nil if there is none.
  package static func state(in bytes: [UInt8]) -> GuardState? {
    stateOffsets
      .compactMap { GuardState(bytes[$0..<$0 + stateRoom]) }
      .max { $0.sequence < $1.sequence }
  }

  /// Returns the offset in the page at which a state is written.
  package static func offset(of state: GuardState) -> Int { stateOffsets[Int(state.sequence & 1)] }
}

/// A record in which a launch has crashed.
package struct Culprit: Equatable, Sendable {
  /// The generation, or serial number, of the archive that gave the record its number.
  package var generation: UInt64
  /// The number of the record.
  package var record: UInt32
  /// The hash of the record's path; zero if it was not computed.
  package var path: UInt64
  package var phase: RestorationPhase
  /// The version of the app that has crashed.
  package var version: String

  package init(
    generation: UInt64, record: UInt32, path: UInt64, phase: RestorationPhase, version: String
  ) {
    (self.generation, self.record, self.path) = (generation, record, path)
    (self.phase, self.version) = (phase, version)
  }
}

/// A hash of a record's path. A record is found by its hash in an archive in which it has another
/// number.
///
/// Siblings with the same identifier have the same hash. So a crash in one of them leaves out all
/// of them.
enum PathHash {
  /// The hash of the application's own path.
  static let root: UInt64 = 0xCBF2_9CE4_8422_2325

  /// Returns the hash of a path, given its last identifier and the hash of the parent's path. The
  /// result is never zero.
  static func hash(_ identifier: String, below parent: UInt64) -> UInt64 {
    // This is FNV-1a. Behind each identifier, a byte is added that no UTF-8 text has.
    var hash = parent
    for byte in identifier.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    return hash == 0 ? 1 : hash
  }
}

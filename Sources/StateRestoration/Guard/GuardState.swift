import LineageFiles

/// The part of the guard page that changes once or twice in a launch. A checksum protects it.
package struct GuardState: Equatable, Sendable {
  /// The number of times that the state was written.
  package var sequence: UInt64 = 0
  package var policy = RecoveryPolicy()
  /// Whether the launch that has written the state tries records in quarantine again. A crash in
  /// one of them then counts as a new crash.
  package var retriesQuarantined = false
  /// The version of the app that has written the state.
  package var version = ""
  /// The records in which launches have crashed, and which no archive has in quarantine yet.
  package var culprits: [Culprit] = []

  package init() {}

  /// The greatest number of bytes of a version. A longer version is cut.
  package static let versionLimit = 100
  /// The greatest number of crashed records in the state. If there are more, the oldest are left
  /// out.
  package static let culpritLimit = 8

  /// Returns an app's version, cut to ``versionLimit`` bytes because the page has no space for
  /// more.
  package static func cut(_ version: String) -> String {
    guard version.utf8.count > versionLimit else { return version }
    var cut = ""
    for character in version.unicodeScalars {
      if cut.utf8.count + character.utf8.count > versionLimit { break }
      cut.unicodeScalars.append(character)
    }
    return cut
  }
}

/// The layout of a state in the page.
///
/// ```text
/// state   = length:u32 checksum:u32 payload
/// payload = sequence:u64 step:u8 flags:u8 version:text count:u8 culprit*
/// culprit = generation:u64 record:u32 path:u64 phase:u8 version:text
/// ```
extension GuardState {
  /// The state as bytes.
  package var encoded: [UInt8] {
    var payload = ByteBuffer(capacity: 256)
    payload.append(sequence)
    payload.append(policy.step.rawValue)
    payload.append(policy.flags | (retriesQuarantined ? Self.retryFlag : 0))
    payload.append(Self.cut(version))
    let culprits = culprits.suffix(Self.culpritLimit)
    payload.append(UInt8(culprits.count))
    for culprit in culprits {
      payload.append(culprit.generation)
      payload.append(culprit.record)
      payload.append(culprit.path)
      payload.append(culprit.phase.rawValue)
      payload.append(Self.cut(culprit.version))
    }
    var bytes = ByteBuffer(capacity: payload.count + 8)
    bytes.append(UInt32(payload.count))
    bytes.append(payload.withBytes { Self.checksum($0) })
    payload.withBytes { bytes.append($0) }
    return bytes.bytes(from: 0)
  }

  /// The bit of ``retriesQuarantined``, which the flags of the policy do not use.
  private static let retryFlag: UInt8 = 16

  private static func checksum(_ payload: Span<UInt8>) -> UInt32 {
    var checksum = Checksum()
    checksum.feed(UInt64(payload.count))
    checksum.feed(payload)
    return checksum.value
  }

  /// Reads a state from the beginning of the bytes; nil if the state is damaged.
  package init?(_ bytes: ArraySlice<UInt8>) {
    do {
      var reader = ValueReader(Array(bytes), 0..<bytes.count)
      let length = Int(try reader.fixed(UInt32.self))
      let checksum = try reader.fixed(UInt32.self)
      guard length <= reader.end - reader.position else { return nil }
      let end = reader.position + length
      guard
        Self.checksum(reader.bytes.span.extracting(reader.position..<end)) == checksum
      else { return nil }
      reader = ValueReader(reader.bytes, reader.position..<end)
      sequence = try reader.fixed(UInt64.self)
      // No program writes the state so often. A damaged number near the maximum would leave no
      // greater one.
      guard sequence < .max / 2 else { return nil }
      guard let step = RecoveryPolicy.Step(rawValue: try reader.fixed(UInt8.self)) else {
        return nil
      }
      let flags = try reader.fixed(UInt8.self)
      policy = RecoveryPolicy(step: step, flags: flags)
      retriesQuarantined = flags & Self.retryFlag != 0
      version = try reader.text()
      for _ in 0..<(try reader.fixed(UInt8.self)) {
        let generation = try reader.fixed(UInt64.self)
        let record = try reader.fixed(UInt32.self)
        let path = try reader.fixed(UInt64.self)
        guard let phase = RestorationPhase(rawValue: try reader.fixed(UInt8.self)) else {
          return nil
        }
        culprits.append(
          Culprit(
            generation: generation, record: record, path: path, phase: phase,
            version: try reader.text()))
      }
    } catch {
      return nil
    }
  }
}

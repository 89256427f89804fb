import LineageFiles
import LineageTestSupport
import Testing

@Suite("Bytes that are written and read")
struct ByteTests {
  /// A piece of data that a buffer can write and a reader can read.
  enum Piece: Equatable {
    case small(Int8), short(UInt16), word(Int32), long(UInt64)
    case length(Int)
    case bytes([UInt8])
    case text(String)

    static func random(_ random: inout SplitMix64) -> Piece {
      let bits = random.next() >> UInt64(random.below(64))
      switch random.below(7) {
      case 0: return .small(Int8(truncatingIfNeeded: bits))
      case 1: return .short(UInt16(truncatingIfNeeded: bits))
      case 2: return .word(Int32(truncatingIfNeeded: bits))
      case 3: return .long(bits)
      case 4: return .length(Int(bits >> 8))
      case 5: return .bytes((0..<random.below(20)).map { UInt8(truncatingIfNeeded: $0 * 37) })
      default: return .text(String((0..<random.below(9)).map { _ in random.pick(Array("aé日😀")) }))
      }
    }

    func append(to buffer: inout ByteBuffer) {
      switch self {
      case .small(let value): buffer.append(value)
      case .short(let value): buffer.append(value)
      case .word(let value): buffer.append(value)
      case .long(let value): buffer.append(value)
      case .length(let value): buffer.append(length: value)
      case .bytes(let bytes): buffer.append(bytes.span)
      case .text(let text): buffer.append(text)
      }
    }

    /// Reads a piece of the same kind as this one.
    func read(_ reader: inout ByteReader) throws(ByteError) -> Piece {
      switch self {
      case .small: .small(try reader.integer(Int8.self))
      case .short: .short(try reader.integer(UInt16.self))
      case .word: .word(try reader.integer(Int32.self))
      case .long: .long(try reader.integer(UInt64.self))
      case .length: .length(try reader.length())
      case .bytes(let bytes): .bytes(try reader.bytes(bytes.count))
      case .text: .text(try reader.text())
      }
    }

    /// The bytes that the format requires for this piece, computed without the library.
    var expected: [UInt8] {
      switch self {
      case .small(let value): Self.bytes(UInt64(UInt8(bitPattern: value)), 1)
      case .short(let value): Self.bytes(UInt64(value), 2)
      case .word(let value): Self.bytes(UInt64(UInt32(bitPattern: value)), 4)
      case .long(let value): Self.bytes(value, 8)
      case .length(let value): Self.sevens(value)
      case .bytes(let bytes): bytes
      case .text(let text): Self.sevens(text.utf8.count) + Array(text.utf8)
      }
    }

    private static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(value >> (8 * $0) & 0xFF) }
    }

    private static func sevens(_ value: Int) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value % 128 + 128)] + sevens(value / 128)
    }
  }

  private static func buffer(_ bytes: some Collection<UInt8>) -> ByteBuffer {
    var buffer = ByteBuffer(capacity: 0)
    buffer.append(Array(bytes).span)
    return buffer
  }

  /// Reads bytes by a closure. The closure may throw errors of any type.
  private static func read<Result>(
    _ bytes: some Collection<UInt8>, _ body: (inout ByteReader) throws -> Result
  ) throws -> Result {
    try buffer(bytes).withReader(body)
  }

  private static func array(_ buffer: borrowing ByteBuffer) -> [UInt8] {
    buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }

  @Test("What is written is as described, is read again, and each cut of it is told")
  func pieces() throws {
    let seed = SplitMix64.seed(7)
    var random = SplitMix64(seed: seed)
    var buffer = ByteBuffer(capacity: 0)
    for round in 0..<200 {
      let pieces = (0..<random.below(12)).map { _ in Piece.random(&random) }
      buffer.clear()
      for piece in pieces { piece.append(to: &buffer) }
      let bytes = pieces.flatMap(\.expected)
      #expect(Self.array(buffer) == bytes, "seed \(seed), round \(round): \(pieces)")
      try Self.read(Self.array(buffer)) { reader throws in
        for piece in pieces {
          #expect(try piece.read(&reader) == piece, "seed \(seed), round \(round)")
        }
        #expect(reader.isAtEnd && reader.position == bytes.count)
      }
      for cut in 0..<bytes.count {
        let error = try Self.read(bytes.prefix(cut)) { reader in
          #expect(throws: ByteError.self) {
            for piece in pieces { _ = try piece.read(&reader) }
          }
        }
        let comment: Comment = "seed \(seed), round \(round), cut at \(cut): \(pieces)"
        #expect((0...cut).contains { error == .endsEarly(position: $0) }, comment)
      }
    }
  }

  @Test("Any bytes are read or told, and never a trap")
  func nonsense() {
    let seed = SplitMix64.seed(11)
    var random = SplitMix64(seed: seed)
    for round in 0..<2000 {
      let bytes = (0..<random.below(24)).map { _ in
        random.chance(40) ? UInt8(0xFF) : UInt8(truncatingIfNeeded: random.next())
      }
      Self.buffer(bytes).withReader { reader in
        var last = -1
        do throws(ByteError) {
          while !reader.isAtEnd {
            #expect(reader.position > last, "seed \(seed), round \(round)")
            last = reader.position
            switch random.below(4) {
            case 0: _ = try reader.text()
            case 1: _ = try reader.length()
            case 2: _ = try reader.integer(Int32.self)
            default: _ = try reader.bytes(1 + random.below(8))
            }
          }
        } catch {
          let isKnown = (0...bytes.count).contains {
            error == .endsEarly(position: $0) || error == .absurdLength(position: $0)
          }
          #expect(isKnown, "seed \(seed), round \(round)")
        }
      }
    }
  }

  @Test("A length has at most eight bytes; one with more is absurd, and its position is told")
  func absurd() throws {
    var largest = [UInt8](repeating: 0xFF, count: 7) + [0x7F]
    #expect(try Self.read(largest) { try $0.length() } == 1 << 56 - 1)
    largest[7] = 0xFF
    let error = try Self.read([0] + largest + [0]) { reader in
      #expect(throws: ByteError.self) {
        _ = try reader.integer(UInt8.self)
        _ = try reader.length()
      }
    }
    #expect(error?.description == "a length at its byte 9 is absurd")
  }

  @Test("A count that is negative, or greater than what is left, is told at its position")
  func counts() throws {
    for count in [-1, .min, 4, .max] {
      let error = try Self.read([1, 2, 3]) { reader in
        #expect(throws: ByteError.self) {
          _ = try reader.integer(UInt8.self)
          _ = try reader.bytes(count)
        }
      }
      #expect(error?.description == "it ends in the middle of something at its byte 1")
    }
  }

  @Test("A text whose bytes are no UTF-8 is read with replacements")
  func brokenText() throws {
    #expect(try Self.read([2, 0x61, 0xFF]) { try $0.text() } == "a\u{FFFD}")
  }

  @Test("A reading that failed leaves the reader where it was")
  func failed() throws {
    try Self.read([1, 2, 3]) { reader throws in
      #expect(throws: ByteError.self) { try reader.integer(UInt32.self) }
      #expect(throws: ByteError.self) { try reader.skip(4) }
      #expect(try reader.bytes(3) == [1, 2, 3])
    }
  }
}

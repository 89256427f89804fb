import CLineageRuntime

/// A CRC32C (Castagnoli) checksum, by the processor's own instruction if there is one.
package struct Checksum {
  private var register: UInt32 = ~0

  package init() {}

  /// The checksum of all bytes so far.
  package var value: UInt32 { ~register }

  /// Adds bytes to the checksum.
  package mutating func feed(_ bytes: Span<UInt8>) {
    register = unsafe bytes.withUnsafeBufferPointer {
      unsafe lineage_crc32c(register, $0.baseAddress, $0.count)
    }
  }

  /// Adds bytes to the checksum without the processor's own instruction.
  package mutating func feedPortably(_ bytes: Span<UInt8>) {
    register = unsafe bytes.withUnsafeBufferPointer {
      unsafe lineage_portable_crc32c(register, $0.baseAddress, $0.count)
    }
  }

  /// Adds the bytes of an integer to the checksum, lowest byte first.
  package mutating func feed<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value) {
    feed(bytesOf: value.littleEndian)
  }

  /// Adds the bytes of two integers, lowest byte first, in one call.
  package mutating func feed(_ first: UInt64, _ second: UInt64) {
    feed(bytesOf: (first.littleEndian, second.littleEndian))
  }

  private mutating func feed<Value: BitwiseCopyable>(bytesOf value: Value) {
    register = unsafe withUnsafeBytes(of: value) {
      unsafe lineage_crc32c(register, $0.assumingMemoryBound(to: UInt8.self).baseAddress, $0.count)
    }
  }
}

#if Postgres
import Foundation

/// The values of a statement's parameters in the binary format, in memory that is used again.
final class RawParameters {
  private var memory: UnsafeMutableRawPointer
  private var capacity: Int
  private var used = 0
  private(set) var types: [UInt32] = []
  private var starts: [Int] = []
  private var nulls: [Bool] = []

  /// The number by which the server identifies a type.
  enum Kind: UInt32 {
    case bytes = 17
    case integer = 20
    case text = 25
    case double = 701
    case uuid = 2950

    var array: UInt32 {
      switch self {
      case .bytes: 1001
      case .integer: 1016
      case .text: 1009
      case .double: 1022
      case .uuid: 2951
      }
    }
  }

  init(capacity: Int = 1_024) {
    self.capacity = capacity
    memory = .allocate(byteCount: capacity, alignment: 8)
  }

  deinit { memory.deallocate() }

  func reset() {
    used = 0
    types.removeAll(keepingCapacity: true)
    starts.removeAll(keepingCapacity: true)
    nulls.removeAll(keepingCapacity: true)
  }

  // MARK: Values

  func add(_ value: Int64) {
    begin(Kind.integer.rawValue)
    put(value)
  }

  func add(_ value: Double) {
    begin(Kind.double.rawValue)
    put(Int64(bitPattern: value.bitPattern))
  }

  func add(_ value: UUID) {
    begin(Kind.uuid.rawValue)
    withUnsafeBytes(of: value.uuid, put)
  }

  func add(_ value: [UInt8]?) {
    begin(Kind.bytes.rawValue, isNull: value == nil)
    value?.withUnsafeBytes(put)
  }

  /// Adds an array, whose elements a closure puts.
  @inline(__always)
  func addArray(of kind: Kind, count: Int, _ elements: () -> Void) {
    begin(kind.array)
    put(Int32(1))
    put(Int32(0))
    put(Int32(bitPattern: kind.rawValue))
    put(Int32(count))
    put(Int32(1))
    elements()
  }

  @inline(__always)
  func putElement(_ value: Int64) {
    put(Int32(8))
    put(value)
  }

  @inline(__always)
  func putElement(_ value: Double) { putElement(Int64(bitPattern: value.bitPattern)) }

  @inline(__always)
  func putElement(_ value: String) {
    var value = value
    value.withUTF8 {
      put(Int32($0.count))
      put(UnsafeRawBufferPointer($0))
    }
  }

  private func begin(_ type: UInt32, isNull: Bool = false) {
    types.append(type)
    starts.append(used)
    nulls.append(isNull)
  }

  @inline(__always)
  private func put(_ value: some FixedWidthInteger) {
    let size = MemoryLayout.size(ofValue: value)
    if used + size > capacity { grow(size) }
    memory.storeBytes(of: value.bigEndian, toByteOffset: used, as: type(of: value))
    used += size
  }

  @inline(__always)
  private func put(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    if used + bytes.count > capacity { grow(bytes.count) }
    (memory + used).copyMemory(from: start, byteCount: bytes.count)
    used += bytes.count
  }

  private func grow(_ size: Int) {
    let larger = UnsafeMutableRawPointer.allocate(byteCount: (used + size) * 2, alignment: 8)
    larger.copyMemory(from: memory, byteCount: used)
    memory.deallocate()
    (memory, capacity) = (larger, (used + size) * 2)
  }

  // MARK: Sending

  /// Calls a closure with the values, lengths and formats, as libpq takes them.
  func withValues<Result>(
    _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
  ) -> Result {
    let values = zip(starts, nulls).map { start, isNull in
      isNull ? nil : UnsafePointer((memory + start).assumingMemoryBound(to: CChar.self))
    }
    let ends = starts.dropFirst() + [used]
    return body(
      values, zip(starts, ends).map { Int32($1 - $0) }, [Int32](repeating: 1, count: starts.count))
  }
}
#endif

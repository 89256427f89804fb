import StateRestoration
import Synchronization

/// A storage in memory. It records the successful calls.
final class MemoryStorage: StateStorage {
  /// A successful call, with the number of bytes or records that were stored.
  enum StoringCall: Equatable {
    case replace(Int, isDurable: Bool)
    case keep(Int)
    case erase
    case close
  }

  private struct MemoryState {
    var bytes: [UInt8] = []
    var calls: [StoringCall] = []
    var fails = false
    var reports = 0
  }

  private let state: Mutex<MemoryState>
  /// The lock that a test takes to block writes.
  let gate = Mutex(())

  init(_ bytes: [UInt8] = []) { state = Mutex(MemoryState(bytes: bytes)) }

  /// The stored bytes.
  var bytes: [UInt8] { state.withLock { $0.bytes } }
  /// The successful calls so far, in order.
  var calls: [StoringCall] { state.withLock { $0.calls } }
  /// The number of reports that were stored.
  var reports: Int { state.withLock { $0.reports } }
  /// Whether each call that ``StoringCall`` lists fails.
  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  /// The error that a failing call throws.
  struct Failure: Error {}

  private func call(_ call: StoringCall, _ change: (inout [UInt8]) -> Void = { _ in }) throws {
    gate.withLock { _ in }
    try state.withLock { state in
      if state.fails { throw Failure() }
      state.calls.append(call)
      change(&state.bytes)
    }
  }

  func load(_ limits: RestorationLimits) -> StoredState {
    let bytes = bytes
    guard !bytes.isEmpty else { return StoredState() }
    return StoredState(newest: StateArchive(bytes: bytes), name: "memory", limits)
  }

  func replace(_ bytes: [UInt8], isDurable: Bool) throws {
    try call(.replace(bytes.count, isDurable: isDurable)) { $0 = bytes }
  }

  func keepAtLaunch(_ archive: StateArchive, records: Int) throws { try call(.keep(records)) }

  func erase(_ bytes: [UInt8]?) throws { try call(.erase) { $0 = bytes ?? [] } }

  func close() { try? call(.close) }

  func store(_ report: StoredReport) throws { state.withLock { $0.reports += 1 } }
}

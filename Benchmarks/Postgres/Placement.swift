#if Postgres
import Foundation

/// The processor core on which the program and the server's processes for it run while a sample is taken.
///
/// The time of a trip depends on where its two ends run more than on what they do: on one core they take
/// turns, and on two cores each must wake the other one. A system moves them as it likes, and ratios then
/// differ by a factor of three from run to run. So all samples of all subjects are taken on one core,
/// where they measure the work of both ends.
enum Placement {
  /// The placement in words, for the result files.
  static var description: String {
    core.map { "program and server on core \($0)" } ?? "left to the system"
  }

  /// Keeps a process of the server on the core, if the program may do that.
  static func keep(serverProcess: Int32) {
    guard let core, isOfServer(serverProcess) else { return }
    CoreSet([core]).keep(serverProcess)
  }

  /// Returns the result of a closure, during which the calling thread stays on the core.
  @MainActor static func keeping<Result>(
    _ body: @MainActor () async throws -> Result
  ) async rethrows -> Result {
    guard let core, let before = CoreSet.ofCallingThread else { return try await body() }
    CoreSet([core]).keep(0)
    defer { before.keep(0) }
    return try await body()
  }

  /// The last core that the program may use, because many systems handle interrupts on the first; nil if
  /// the server's processes cannot be moved there.
  private static let core: Int? = {
    guard let last = CoreSet.ofCallingThread?.cores.last,
      let connection = try? BenchmarkServer.connect(), isOfServer(connection.processID),
      CoreSet([last]).keep(connection.processID)
    else { return nil }
    return last
  }()

  /// Returns whether a process is on this machine, and the server's. Its number may be of another machine.
  private static func isOfServer(_ process: Int32) -> Bool {
    let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
    return name?.hasPrefix("postgres") == true
  }
}

/// Some of the machine's processor cores, a bit for each.
private struct CoreSet {
  private var words = [UInt64](repeating: 0, count: 16)

  init(_ cores: [Int]) { for core in cores { words[core / 64] |= 1 << UInt64(core % 64) } }

  var cores: [Int] { (0..<1_024).filter { words[$0 / 64] & 1 << UInt64($0 % 64) != 0 } }

  private typealias Call = @convention(c) (Int32, Int, UnsafeMutableRawPointer) -> Int32

  /// Returns a function of the system that the headers show to programs in C only; nil if there is none.
  private static func call(_ name: String) -> Call? {
    dlsym(nil, name).map { unsafeBitCast($0, to: Call.self) }
  }

  private static let get = call("sched_getaffinity")
  private static let set = call("sched_setaffinity")

  /// The cores on which the calling thread may run; nil if the system does not tell.
  static var ofCallingThread: CoreSet? {
    var all = CoreSet([])
    let count = all.words.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.flatMap { Self.get?(0, bytes.count, $0) } ?? -1
    }
    return count < 0 ? nil : all
  }

  /// Makes a thread run on these cores only, if that is allowed. The thread with the number 0 is the
  /// calling one. Returns whether it was allowed.
  @discardableResult
  func keep(_ thread: Int32) -> Bool {
    var words = words
    return words.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.flatMap { Self.set?(thread, bytes.count, $0) } == 0
    }
  }
}
#endif

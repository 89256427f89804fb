#if Postgres
import Foundation
import LineageTestSupport
import PostgresStorage
import Synchronization

/// A server of a test's own, which the test may stop, kill and fill. It ends with this object.
final class TestCluster: Sendable {
  /// The folder with the server's data, socket and log.
  let folder: String
  let port: Int
  private var data: String { folder + "/data" }

  /// The folder in which clusters are made; nil if `.ci/postgres` has not started the tests.
  static let place = ProcessInfo.processInfo.environment["LINEAGE_CLUSTERS"]

  private static let programs: String = {
    let versions =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    let newest = versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) } ?? ""
    return "/usr/lib/postgresql/\(newest)/bin/"
  }()
  private static let nextPort = Atomic(Int.random(in: 41_000..<58_000))

  /// The data of a new server, which is made once and copied for each cluster.
  private static let template = Mutex<String?>(nil)

  /// Makes a server and starts it.
  init(_ settings: [String] = []) throws {
    (folder, port) = try Self.makeFolder()
    let template = try Self.template.withLock { template in
      if let template { return template }
      let (made, _) = try Self.makeFolder()
      try Self.run(
        "initdb",
        ["-D", made + "/template", "-A", "trust", "-U", "lineage", "-E", "UTF8"]
          + ["--locale=C.UTF-8", "--no-sync"])
      template = made + "/template"
      return made + "/template"
    }
    try Self.runAsOwner("/bin/cp", ["-a", template, data])
    try configure(settings)
    try start()
  }

  /// Makes a replica of another server and starts it.
  init(replicaOf other: TestCluster) throws {
    (folder, port) = try Self.makeFolder()
    try Self.run(
      "pg_basebackup", ["-D", data, "-R", "--no-sync", "-c", "fast", "-d", other.address])
    try configure([])
    try start()
  }

  deinit { remove() }

  private static func makeFolder() throws -> (String, Int) {
    let port = nextPort.wrappingAdd(1, ordering: .relaxed).newValue
    let folder = (place ?? NSTemporaryDirectory()) + "/\(port)"
    try runAsOwner("/bin/mkdir", ["-p", folder])
    return (folder, port)
  }

  private func configure(_ settings: [String]) throws {
    let lines =
      [
        "listen_addresses = '127.0.0.1'", "port = \(port)", "fsync = off",
        "unix_socket_directories = '\(folder)'", "max_connections = 60",
        "logging_collector = off", "max_wal_senders = 4", "shared_buffers = 16MB",
      ] + settings
    let text = lines.joined(separator: "\n") + "\n"
    try Self.runAsOwner(
      "/bin/sh", ["-c", "printf '%s' \"$1\" >> '\(data)/postgresql.auto.conf'", "sh", text])
  }

  // MARK: Programs

  /// Runs a program as the user who owns the servers, because a server refuses to run as root.
  @discardableResult
  static func runAsOwner(_ program: String, _ arguments: [String]) throws -> String {
    let owner = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups", program]
    let (status, output) =
      getuid() == 0
      ? try ChildProcess.run("/usr/bin/setpriv", owner + arguments)
      : try ChildProcess.run(program, arguments)
    guard status == 0 else { throw Mishap("\(program) \(arguments): \(output)") }
    return output
  }

  @discardableResult
  private static func run(_ program: String, _ arguments: [String]) throws -> String {
    try runAsOwner(programs + program, arguments)
  }

  // MARK: Life

  func start() throws {
    try Self.run("pg_ctl", ["-D", data, "-w", "-t", "60", "-l", folder + "/log", "start"])
  }

  /// Stops the server in a mode: `fast` ends all connections, `immediate` is like a crash.
  func stop(_ mode: String) throws {
    try Self.run("pg_ctl", ["-D", data, "-w", "-m", mode, "stop"])
  }

  /// Makes the replica a server that takes writes.
  func promote() throws { try Self.run("pg_ctl", ["-D", data, "-w", "promote"]) }

  /// The process of the server; nil if none runs.
  var process: pid_t? {
    let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
    return text?.split(separator: "\n").first.flatMap { pid_t($0) }
  }

  /// Kills the server's main process. Its other processes end soon after.
  func kill() {
    guard let process else { return }
    Foundation.kill(process, SIGKILL)
    // A new server refuses to start as long as one of the old processes has the shared memory.
    while isAlive(process) { Thread.sleep(forTimeInterval: 0.01) }
  }

  private func isAlive(_ process: pid_t) -> Bool {
    guard Foundation.kill(process, 0) == 0 else { return false }
    let stat = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
    return stat?.contains(") Z ") == false
  }

  /// Starts the server again after its main process was killed.
  func restart() throws {
    for _ in 0..<100 {
      if (try? texts("SELECT 1")) != nil || (try? start()) != nil { return }
      Thread.sleep(forTimeInterval: 0.1)
    }
    try start()
  }

  private func remove() {
    try? stop("immediate")
    _ = try? ChildProcess.run("/bin/rm", ["-rf", folder])
  }

  // MARK: Use

  var address: String { "host=\(folder) port=\(port) user=lineage dbname=postgres" }

  var options: PostgresOptions {
    var options = PostgresOptions(address)
    options.maximumConnections = 4
    return options
  }

  /// Runs statements, and returns the texts in the first column of their rows. While the server recovers
  /// from a crash, the function tries again.
  @discardableResult
  func texts(_ sql: String) throws -> [String] {
    while true {
      let result = try ChildProcess.run(
        "/usr/bin/psql", ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-c", sql, address])
      if result.status == 0 { return result.output.split(separator: "\n").map(String.init) }
      let recovers = ["in recovery mode", "starting up", "not yet accepting"].contains {
        result.output.contains($0)
      }
      guard recovers else { throw Mishap("\(sql): \(result.output)") }
    }
  }
}
#endif

#if Postgres
import Foundation

/// A connection to the server that is slow: a child process passes all bytes on, each a moment later.
///
/// It is a process of its own, so that it does not disturb what is measured. It ends with the program.
final class DelayingProxy {
  /// The port on loopback at which the proxy takes connections.
  let port: Int
  private let process = Process()
  /// The child process ends when this pipe does.
  private let input = Pipe()

  /// Starts the child process. `delay` is the time that each byte takes, in seconds.
  init(to target: SocketTarget, delay: Double) throws {
    let output = Pipe()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = [
      ProxyProgram.argument, target.host, "\(target.port)", "\(Int(delay * 1e6))",
    ]
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    guard let port = Int(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw RawServerError("the delaying proxy did not start")
    }
    self.port = port
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}

/// The place at which a server takes connections. If the host begins with a slash, it is the folder of
/// the server's socket.
struct SocketTarget {
  let host: String
  let port: Int

  /// Returns a new connection; nil if there is no answer.
  func connect() -> Int32? {
    if host.hasPrefix("/") { return connectInFolder() }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    var next = list
    while let one = next?.pointee {
      let descriptor = socket(one.ai_family, one.ai_socktype, one.ai_protocol)
      if Foundation.connect(descriptor, one.ai_addr, one.ai_addrlen) == 0 { return descriptor }
      close(descriptor)
      next = one.ai_next
    }
    return nil
  }

  private func connectInFolder() -> Int32? {
    let path = Array("\(host)/.s.PGSQL.\(port)".utf8)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let isConnected = withUnsafePointer(to: address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if isConnected { return descriptor }
    close(descriptor)
    return nil
  }
}
#endif

#if Postgres
import Foundation

/// The program of a ``DelayingProxy``, which runs in a child process.
struct ProxyProgram {
  /// The argument that makes the benchmark program be the proxy.
  static let argument = "--delaying-proxy"

  /// One direction of a connection, with the bytes that wait.
  private struct Direction {
    let from, to: Int32
    var waiting: [(due: UInt64, bytes: [UInt8])] = []
  }

  private let target: SocketTarget
  /// The time that each byte waits, in nanoseconds.
  private let delay: UInt64
  private let listener: Int32
  private var directions: [Direction] = []

  /// Passes bytes on until the standard input ends.
  static func run() -> Never {
    let words = CommandLine.arguments
    guard words.count == 5, let port = Int(words[3]), let delay = UInt64(words[4]),
      var program = ProxyProgram(SocketTarget(host: words[2], port: port), delay * 1_000)
    else { exit(2) }
    program.pass()
    exit(0)
  }

  private init?(_ target: SocketTarget, _ delay: UInt64) {
    (self.target, self.delay) = (target, delay)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { return nil }
    let line = Array("\(UInt16(bigEndian: address.sin_port))\n".utf8)
    guard write(STDOUT_FILENO, line, line.count) == line.count else { return nil }
  }

  private mutating func pass() {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      var places = [STDIN_FILENO, listener].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      places += directions.map { pollfd(fd: $0.from, events: Int16(POLLIN), revents: 0) }
      wait(for: &places)
      if places[0].revents != 0 { return }
      var ended: Set<Int32> = []
      for (place, index) in zip(places.dropFirst(2), directions.indices) where place.revents != 0 {
        let count = read(place.fd, &bytes, bytes.count)
        if count > 0 {
          directions[index].waiting.append((now + delay, Array(bytes[..<count])))
        } else {
          ended.formUnion([place.fd, directions[index].to])
        }
      }
      directions.removeAll { ended.contains($0.from) }
      for descriptor in ended { close(descriptor) }
      sendDue()
      if places[1].revents != 0 { accept() }
    }
  }

  /// Waits until bytes can be read, or the next ones are due.
  private func wait(for places: inout [pollfd]) {
    var limit = Int32(-1)
    if let next = directions.compactMap(\.waiting.first?.due).min() {
      let present = now
      let rest = next > present ? next - present : 0
      // A wait for less than a millisecond would be none, or too long.
      if rest < 1_000_000 { usleep(UInt32(rest / 1_000)) }
      limit = Int32(rest / 1_000_000)
    }
    _ = poll(&places, nfds_t(places.count), limit)
  }

  private mutating func sendDue() {
    let now = now
    for index in directions.indices {
      while let first = directions[index].waiting.first, first.due <= now {
        _ = write(directions[index].to, first.bytes, first.bytes.count)
        directions[index].waiting.removeFirst()
      }
    }
  }

  private mutating func accept() {
    let client = Foundation.accept(listener, nil, nil)
    guard client >= 0 else { return }
    guard let server = target.connect() else {
      close(client)
      return
    }
    // Small packets are sent at once.
    var yes = Int32(1)
    setsockopt(
      client, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    directions += [Direction(from: client, to: server), Direction(from: server, to: client)]
  }

  private var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
}
#endif

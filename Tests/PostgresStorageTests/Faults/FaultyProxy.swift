#if Postgres
import Foundation
import LineageTestSupport
import ObjectGraph
import Synchronization

/// A network between a program and a server: a socket on loopback that passes all bytes on, until it is
/// told to do it badly.
final class FaultyProxy: Sendable {
  /// The way in which the network treats everything.
  enum Weather {
    case fine
    /// No byte is passed on, and no connection is closed.
    case stalled
    /// Each piece is passed on after some seconds.
    case slow(Double)
  }

  /// The way in which a connection breaks at a request with a certain text.
  enum Break: CaseIterable {
    /// The request never leaves the program.
    case before
    /// A part of the request reaches the server.
    case half
    /// The server gets the request, and its answer is lost.
    case after
    /// The connection breaks some milliseconds after the request was passed on.
    case soon
    /// The program loses its connection first. The server gets the request a little later.
    case late
  }

  private struct Plan: Sendable {
    let mark: [UInt8]
    let kind: Break
    let delay: Double
    let before: @Sendable () -> Void
  }

  private struct ProxyState {
    var weather = Weather.fine
    var planned: Plan?
    var open: Set<Int32> = []
    var hasEnded = false
  }

  let port: UInt16
  private let listener: Int32
  private let target: UInt16
  private let state = Mutex(ProxyState())

  init(to target: Int) throws {
    self.target = UInt16(target)
    (listener, port) = try Self.listen()
    let thread = Thread { [weak self, listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        guard let self else {
          close(client)
          return
        }
        serve(client)
      }
    }
    thread.start()
  }

  deinit { end() }

  func end() {
    let isFirst = state.withLock { state in
      defer { state.hasEnded = true }
      return !state.hasEnded
    }
    guard isFirst else { return }
    cut()
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func listen() throws -> (Int32, UInt16) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = loopback(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16 = try withUnsafeMutablePointer(to: &address) { place in
      try place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
        guard bind(descriptor, place, length) == 0, Foundation.listen(descriptor, 64) == 0,
          getsockname(descriptor, place, &length) == 0
        else { throw Mishap("no port for a proxy") }
      }
      return UInt16(bigEndian: place.pointee.sin_port)
    }
    return (descriptor, port)
  }

  // MARK: Faults

  var weather: Weather {
    get { state.withLock { $0.weather } }
    set { state.withLock { $0.weather = newValue } }
  }

  /// Breaks the next connection that sends a text, after a call of a closure.
  func plan(
    _ kind: Break, at mark: String, delay: Double, before: @escaping @Sendable () -> Void = {}
  ) {
    let plan = Plan(mark: Array(mark.utf8), kind: kind, delay: delay, before: before)
    state.withLock { $0.planned = plan }
  }

  /// Whether the planned break has happened.
  var hasBroken: Bool { state.withLock { $0.planned == nil } }

  /// Cuts all connections.
  func cut() {
    let open = state.withLock { $0.open }
    for descriptor in open { shutdown(descriptor, Int32(SHUT_RDWR)) }
  }

  // MARK: Passing on

  private func serve(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.loopback(target)
    let isConnected = withUnsafeMutablePointer(to: &address) { place in
      place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(server)
      close(client)
      return
    }
    state.withLock { $0.open.formUnion([client, server]) }
    let pair = Pair(client: client, server: server)
    for (from, to) in [(client, server), (server, client)] {
      Thread { [self] in
        pump(from, to, pair, isRequest: from == pair.client)
        if pair.users.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
          state.withLock { state in
            state.open.subtract([pair.client, pair.server])
          }
          close(pair.client)
          close(pair.server)
        }
      }.start()
    }
  }

  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    /// The threads that still pass bytes on.
    let users = Atomic(2)

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    func cut() {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
    }
  }

  private func pump(_ from: Int32, _ to: Int32, _ pair: Pair, isRequest: Bool) {
    defer { pair.cut() }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(from, &buffer, buffer.count)
      guard count > 0 else { return }
      waitForWeather()
      if isRequest, let planned = takePlan(buffer[..<count]) {
        planned.before()
        destroy(buffer[..<count], planned.kind, planned.delay, pair)
        return
      }
      guard Self.send(buffer[..<count], to) else { return }
    }
  }

  private func waitForWeather() {
    while true {
      switch weather {
      case .fine: return
      case .slow(let seconds): return Thread.sleep(forTimeInterval: seconds)
      case .stalled:
        if state.withLock({ $0.hasEnded }) { return }
        Thread.sleep(forTimeInterval: 0.01)
      }
    }
  }

  private func takePlan(_ bytes: ArraySlice<UInt8>) -> Plan? {
    state.withLock { state in
      guard let planned = state.planned, bytes.firstRange(of: planned.mark) != nil else {
        return nil
      }
      state.planned = nil
      return planned
    }
  }

  private func destroy(
    _ bytes: ArraySlice<UInt8>, _ kind: Break, _ delay: Double, _ pair: Pair
  ) {
    switch kind {
    case .before: break
    case .half: _ = Self.send(bytes.prefix(bytes.count / 2), pair.server)
    case .after:
      // The answers come here instead of going to the program, so that they are lost.
      shutdown(pair.client, Int32(SHUT_WR))
      _ = Self.send(bytes, pair.server)
      Thread.sleep(forTimeInterval: delay)
    case .soon:
      _ = Self.send(bytes, pair.server)
      Thread.sleep(forTimeInterval: delay / 10)
    case .late:
      shutdown(pair.client, Int32(SHUT_RDWR))
      Thread.sleep(forTimeInterval: delay)
      _ = Self.send(bytes, pair.server)
      Thread.sleep(forTimeInterval: delay)
    }
  }

  private static func send(_ bytes: ArraySlice<UInt8>, _ to: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
#endif

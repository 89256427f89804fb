#if Postgres
import Foundation
import Synchronization

/// A signal that wakes a thread, which meanwhile may also wait for a socket.
final class Bell: Sendable {
  /// The two ends of a pipe; -1 if there was no descriptor for it.
  private let reader, writer: Int32
  private let isRung = Atomic(false)

  init() {
    var ends: [Int32] = [-1, -1]
    if unsafe pipe(&ends) != 0 { ends = [-1, -1] }
    for end in ends where end >= 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (reader, writer) = (ends[0], ends[1])
  }

  deinit { for end in [reader, writer] where end >= 0 { close(end) } }

  /// Wakes the thread that waits, or the next one.
  func ring() {
    guard !isRung.exchange(true, ordering: .acquiringAndReleasing), writer >= 0 else { return }
    var byte: UInt8 = 0
    _ = unsafe write(writer, &byte, 1)
  }

  /// Waits until the bell rings, until something can be read from a socket, if one is given, or until
  /// the time is over. If `milliseconds` is nil, the time has no limit.
  func wait(orFor socket: Int32?, atMost milliseconds: Int32?) {
    var descriptors = [pollfd(fd: reader, events: Int16(POLLIN), revents: 0)]
    if let socket { descriptors.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0)) }
    // Without a pipe, nobody can wake the thread.
    let limit = reader >= 0 ? milliseconds ?? -1 : 100
    _ = unsafe poll(&descriptors, nfds_t(descriptors.count), limit)
    guard descriptors[0].revents != 0 else { return }
    var byte: UInt8 = 0
    _ = unsafe read(reader, &byte, 1)
    isRung.store(false, ordering: .sequentiallyConsistent)
  }
}
#endif

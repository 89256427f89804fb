#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// One object for each thread, made when the thread first uses it and released when the thread
/// ends.
struct ThreadLocal<Object: AnyObject>: Sendable {
  private let key: pthread_key_t
  private let make: @Sendable () -> Object

  init(_ make: @escaping @Sendable () -> Object) {
    self.make = make
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { object in
      #if canImport(Darwin)
      unsafe Unmanaged<AnyObject>.fromOpaque(object).release()
      #else
      if let object = unsafe object { unsafe Unmanaged<AnyObject>.fromOpaque(object).release() }
      #endif
    }
    precondition(status == 0, "The process has no thread-specific keys left.")
    self.key = key
  }

  /// Calls the closure with this thread's object, which lives as long as the thread.
  @inline(__always)
  func with<R>(_ body: (Object) throws -> R) rethrows -> R {
    if let object = unsafe pthread_getspecific(key) {
      return try unsafe Unmanaged<Object>.fromOpaque(object)._withUnsafeGuaranteedRef {
        try body($0)
      }
    }
    return try body(made())
  }

  @inline(never)
  private func made() -> Object {
    let object = make()
    unsafe pthread_setspecific(key, Unmanaged.passRetained(object).toOpaque())
    return object
  }
}

/// The standard error stream, for reports about faults of the program.
struct StandardError: TextOutputStream {
  mutating func write(_ string: String) {
    var bytes = Array(string.utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
      guard written > 0 else { return }
      bytes = bytes.dropFirst(written)
    }
  }

  private func write(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    unsafe Darwin.write(descriptor, base, count)
    #elseif canImport(Musl)
    unsafe Musl.write(descriptor, base, count)
    #else
    unsafe Glibc.write(descriptor, base, count)
    #endif
  }
}

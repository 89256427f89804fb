import CLineageRuntime

/// A check whether the object behind a pointer of an identity map is still alive.
///
/// `swift_tryRetain` replaces `weak`, which gives each object a side table for reference counts.
/// The side table needs memory (benchmark `memory`), and slows down each retain too (benchmark
/// `fetch objects`). Rejected: a map that retains its objects and removes unused ones later,
/// because it frees them late. The C module `CLineageRuntime` declares the function, because the
/// compiler is about to refuse `@_silgen_name`.
///
/// The check is sound because a pointer is used only under the map's lock, and because an object
/// removes itself from the map, under the same lock, before its deinit returns. So a pointer in the
/// map always points to an object, alive or dying. `swift_tryRetain` decides atomically whether the
/// object is alive, and retains only a living object. `weak` itself uses this function, which is
/// part of the runtime's stable interface.
enum Liveness {
  /// A pointer to an object, which may be dying.
  @safe
  struct Pointer: Equatable, @unchecked Sendable {
    // The map's lock protects the pointer, because the pointer is used only under that lock.
    fileprivate let pointer: UnsafeMutableRawPointer

    static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }

    init(_ object: GraphObject) { unsafe pointer = Unmanaged.passUnretained(object).toOpaque() }
  }

  /// A retained reference to a living object. It must be ended by exactly one call of ``take()``,
  /// which returns the object.
  @safe
  struct Retained: @unchecked Sendable {
    // The reference is only used to give the object to the map's owner, in the owner's isolation.
    fileprivate let pointer: UnsafeMutableRawPointer

    /// Returns the object. Call this function exactly once, because it consumes the retained
    /// reference.
    @inline(__always)
    func take() -> GraphObject {
      unsafe Unmanaged<GraphObject>.fromOpaque(pointer).takeRetainedValue()
    }
  }

  /// Retains the object and returns a reference to it; nil if the object is dying.
  @inline(__always)
  static func tryRetain(_ object: Pointer) -> Retained? {
    guard let object = unsafe swift_tryRetain(object.pointer) else { return nil }
    return unsafe Retained(pointer: object)
  }
}

extension ObjectIdentifier {
  /// Prefetches the memory of a living object before it is needed. An identifier is used instead of
  /// a reference, because counting a reference would touch that memory.
  @inline(__always)
  package func prefetch() {
    unsafe lineage_prefetch(UnsafeRawPointer(bitPattern: UInt(bitPattern: self)))
  }
}

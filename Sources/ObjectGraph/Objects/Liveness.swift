import CLineageRuntime

/// The check whether the object behind a pointer of an identity map still lives.
///
/// `swift_tryRetain` stands for `weak`, which gives an object a side table through which it is
/// counted for the rest of its life. That made each object 48 bytes larger and `fetch objects` a
/// third slower. A map that retains its objects and removes unused ones later was rejected, because
/// it frees them late. The C module `CLineageRuntime` declares the function, because the compiler
/// is about to refuse `@_silgen_name`.
///
/// The check is sound because a pointer is followed only under the map's lock, and an object
/// removes itself from the map, under the same lock, before its deinit returns. So a pointer in the
/// map always points to memory that is still an object, alive or dying. `swift_tryRetain` tells
/// atomically which of the two it is. `weak` itself is made of this function, which is part of the
/// runtime's stable interface.
enum Liveness {
  /// A pointer to an object, which may be dying.
  @safe
  struct Pointer: Equatable, @unchecked Sendable {
    // The map's lock protects the pointer, because it is followed only under that lock.
    fileprivate let pointer: UnsafeMutableRawPointer

    static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }

    init(_ object: GraphObject) { unsafe pointer = Unmanaged.passUnretained(object).toOpaque() }
  }

  /// A retained reference to a living object, for which `take()` finds an owner.
  @safe
  struct Retained: @unchecked Sendable {
    // Its only use is that the owner of the map takes the object, on its own isolation.
    fileprivate let pointer: UnsafeMutableRawPointer

    /// Returns the object. Call it once, because it consumes the retained reference.
    @inline(__always)
    func take() -> GraphObject {
      unsafe Unmanaged<GraphObject>.fromOpaque(pointer).takeRetainedValue()
    }
  }

  /// Retains the object and returns it; nil if it is dying.
  @inline(__always)
  static func retain(_ object: Pointer) -> Retained? {
    guard let object = unsafe swift_tryRetain(object.pointer) else { return nil }
    return unsafe Retained(pointer: object)
  }
}

extension ObjectIdentifier {
  /// Prefetches the memory of a living object before it is needed. The function takes no reference,
  /// because counting one would touch that memory.
  @inline(__always)
  package func prefetch() {
    unsafe prefetch_object(UnsafeRawPointer(bitPattern: UInt(bitPattern: self)))
  }
}

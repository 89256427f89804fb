import CLineageRuntime

/// A reference to an object that is asked whether the object still lives.
///
/// Swift's `weak` would do, at a price: an object that has one is counted through a table beside it
/// for the rest of its life, which made each retain several times slower and each object 48 bytes
/// larger (fetching 100,000 objects: a third). So the identity map asks the runtime directly.
///
/// It is sound because the pointer is followed only under the map's lock, and an object takes itself
/// out of the map, under the same lock, before its deinit returns: a pointer in the map always points
/// to memory that is still an object, alive or dying. `swift_tryRetain` tells which, atomically; it
/// is what `weak` itself is made of, and part of the runtime's stable interface.
enum Liveness {
  /// The place of an object, which may be dying.
  @safe
  struct Pointer: Equatable, @unchecked Sendable {
    // Protected by the map's lock, under which alone it is followed.
    fileprivate let pointer: UnsafeMutableRawPointer

    static func == (one: Self, other: Self) -> Bool { unsafe one.pointer == other.pointer }

    init(_ object: GraphObject) { unsafe pointer = Unmanaged.passUnretained(object).toOpaque() }
  }

  /// A reference to a living object that was counted and has no owner yet.
  @safe
  struct Retained: @unchecked Sendable {
    // Nothing else is done with it than to take the object, where the map's owner is.
    fileprivate let pointer: UnsafeMutableRawPointer

    /// Returns the object; to be called once.
    @inline(__always)
    func take() -> GraphObject {
      unsafe Unmanaged<GraphObject>.fromOpaque(pointer).takeRetainedValue()
    }
  }

  /// Returns the object, retained, unless it is dying.
  @inline(__always)
  static func retain(_ object: Pointer) -> Retained? {
    guard let object = unsafe swift_tryRetain(object.pointer) else { return nil }
    return unsafe Retained(pointer: object)
  }
}

extension ObjectIdentifier {
  /// Asks for the memory of a living object before it is needed. A reference would not do: it is
  /// counted where the object lies.
  @inline(__always)
  package func prefetch() {
    unsafe prefetch_object(UnsafeRawPointer(bitPattern: UInt(bitPattern: self)))
  }
}

import CReferences

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
  struct Pointer: Equatable, @unchecked Sendable {
    // Protected by the map's lock, under which alone it is followed.
    let pointer: UnsafeMutableRawPointer

    init(_ object: Instance) { self.init(Unmanaged.passUnretained(object).toOpaque()) }

    fileprivate init(_ pointer: UnsafeMutableRawPointer) { self.pointer = pointer }
  }

  /// The object, retained, unless it is dying.
  @inline(__always)
  static func retain(_ object: Pointer) -> Pointer? {
    guard let object = swift_tryRetain(object.pointer) else { return nil }
    return Pointer(object)
  }
}

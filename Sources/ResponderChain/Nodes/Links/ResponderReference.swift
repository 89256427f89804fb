import CLineageRuntime

/// A reference that does not keep its responder alive.
///
/// Like `unowned`, it keeps the responder's memory after the responder has ended. So any thread can
/// check at any time whether the responder still lives. Rejected: `weak`, which gives the responder
/// a side table that slows down each retain and release (`restore objects`).
@safe
package struct ResponderReference: ~Copyable {
  private let memory: UnsafeMutableRawPointer

  package init(_ responder: Responder) {
    unsafe memory = swift_unownedRetain(Unmanaged.passUnretained(responder).toOpaque())
  }

  deinit { unsafe swift_unownedRelease(memory) }

  /// The responder; nil during its deinit and afterwards.
  package var responder: Responder? {
    guard let retained = unsafe swift_tryRetain(memory) else { return nil }
    return unsafe Unmanaged<Responder>.fromOpaque(retained).takeRetainedValue()
  }
}

extension Responder {
  /// A strong reference to the responder; `nil` during its deinit, when no reference may be taken.
  ///
  /// The reference is taken by `swift_tryRetain`, the function of the runtime that `weak` uses.
  /// Rejected: a weak reference, because it gives the responder a side table for its reference
  /// counts.
  final var strongReference: Responder? {
    let object = unsafe Unmanaged.passUnretained(self).toOpaque()
    guard let retained = unsafe swift_tryRetain(object) else { return nil }
    return unsafe Unmanaged<Responder>.fromOpaque(retained).takeRetainedValue()
  }
}

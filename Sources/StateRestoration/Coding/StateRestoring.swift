/// A responder or other object that writes and reads its state by two methods.
///
/// ```swift
/// final class ListController: Controller, StateRestoring {
///   func encodeRestorableState(with coder: StateEncoder) throws {
///     try coder.encode(zoom, for: "zoom")
///   }
///
///   func decodeRestorableState(with coder: StateDecoder) throws {
///     zoom = try coder.decode("zoom") ?? 1
///   }
/// }
/// ```
///
/// A responder also needs a `restorationIdentifier`. An object that is not a responder is added by
/// ``Restoration/add(_:as:under:)``. After a change, call the responder's
/// `invalidateRestorableState()`, or ``Restoration/invalidateRestorableState(of:)`` for an object.
/// The next save then includes the state.
public protocol StateRestoring: AnyObject {
  /// Writes the state under keys.
  ///
  /// If the method throws, the record of the last successful save is kept.
  func encodeRestorableState(with coder: StateEncoder) throws

  /// Reads the state that was written in another process, perhaps by another version of the app.
  ///
  /// All restored responders are linked before the first of them is decoded. So lookups find the
  /// same contexts as in the process that has saved the state. If the method throws, the values
  /// that it has set before stay.
  func decodeRestorableState(with coder: StateDecoder) throws
}

/// A responder or added object with a method that is called when its state is restored.
public protocol RestorationFinishing: AnyObject {
  /// Tells the responder or object that its whole state is restored, including values that have
  /// waited for a context.
  ///
  /// This method is called once for each restoration. By then, all responders that do not have to
  /// wait are decoded. The observers of contexts were called, unless the restoration was begun in a
  /// `batch` or by an observer.
  func didFinishRestoring()
}

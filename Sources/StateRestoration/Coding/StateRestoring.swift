/// A responder or other object that keeps its state by two methods.
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
/// A responder also has a restoration identifier. An object that is not a responder is added by
/// `restoration.add(_:as:under:)`. After a change the responder or the restoration is told by
/// `invalidateRestorableState()`, so that the next save of changes includes it.
public protocol StateRestoring: AnyObject {
  /// Writes the state under keys.
  ///
  /// If it throws, the record of the last successful save is kept.
  func encodeRestorableState(with coder: StateEncoder) throws

  /// Reads the state that was written in another process, perhaps by another version of the app.
  ///
  /// All restored responders are linked by then, so lookups find what they found before. If it
  /// throws, what it has read before stays.
  func decodeRestorableState(with coder: StateDecoder) throws
}

/// A responder that is told when it is restored.
public protocol RestorationFinishing: AnyObject {
  /// Tells the responder that its whole state is there, also what had to wait for a context.
  ///
  /// It is called once for each restoration, after all responders that did not have to wait were
  /// decoded, and after the observers of contexts.
  func didFinishRestoring()
}

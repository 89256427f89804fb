public import ResponderChain

/// The archived value of a responder is a reference to its record. The responder that has the
/// record then is the value, whatever its path is.
///
/// ```swift
/// @Restorable("detail") var detail: DetailController?
/// ```
///
/// Only a responder that takes part in restoration can be archived. The property retains it, so it
/// should be below the property's own responder.
extension Responder: RestorableValue {
  /// Writes a reference to the responder.
  ///
  /// - Throws: ``StateError`` if the responder, or one above it, has no restoration identifier.
  /// - Complexity: O(*depth*).
  public final func write(to writer: inout ValueWriter) throws {
    for responder in chain where !(responder is Application) && responder.mark == nil {
      throw StateError(
        .unstorable("\(path) cannot be found again: \(responder.path) has no identifier."))
    }
    guard let root = application?.mark as? RootMark else {
      throw StateError(.unstorable("\(path) is in no application."))
    }
    let keeper = root.keeperOfTree
    guard writer.contexts === keeper.contexts, let id = keeper.home.id(of: self) else {
      throw StateError(.unstorable("\(path) is in another application."))
    }
    if !writer.needs.contains("") { writer.needs.append("") }
    writer.write(.responder, id.number)
  }

  /// Reads a reference, and returns the responder to which it leads.
  public static func read(from reader: inout ValueReader) throws -> Self {
    let id = RecordID(try reader.fixed(.responder))
    let found = reader.scope?.contexts.responder(id)
    if let found = found as? Self, found.application != nil { return found }
    throw reader.missing("a responder, which is not there")
  }
}

import LineageFiles
public import ResponderChain

/// The archived value of a responder is its path. The restored responder with that path is the
/// restored value.
///
/// ```swift
/// @Restorable("detail") var detail: DetailController?
/// ```
///
/// Only a responder that takes part in restoration can be archived. The property retains that
/// responder, which should therefore be below the property's own responder.
extension Responder: RestorableValue {
  /// Writes the responder's path.
  ///
  /// - Throws: ``StateError`` if the responder, or one above it, has no restoration identifier.
  /// - Complexity: At most O(*depth* + *s*) for *s* siblings of the responder and of its ancestors.
  public final func write(to writer: inout ValueWriter) throws {
    let path = [UInt8](steps: try archivedSteps())
    writer.hasPaths = true
    let known = mark?.record?.target
    writer.paths[path] = known?.responder === self ? known : PathTarget(self)
    writer.write(.path)
    writer.bytes.append(length: path.count)
    writer.bytes.append(path.span)
  }

  /// Returns the responder's path in the archive that is being written.
  final func archivedSteps() throws -> [PathStep] {
    let keeper = (application?.mark as? RootMark)?.keeperOfTree
    var steps: [PathStep] = []
    for responder in chain where !(responder is Application) {
      guard let mark = responder.mark else {
        throw StateError(
          .unstorable("\(path) cannot be found again: \(responder.path) has no identifier."))
      }
      let ordinal = responder.nextResponder.flatMap { keeper?.ordinal(of: responder, below: $0) }
      steps.append(PathStep(identifier: mark.identifier, ordinal: ordinal ?? 0))
    }
    guard keeper != nil else { throw StateError(.unstorable("\(path) is in no application.")) }
    return steps.reversed()
  }

  /// Reads a path, and returns the responder to which it led when it was written.
  ///
  /// - Complexity: O(*depth*) for the found responder.
  public static func read(from reader: inout ValueReader) throws -> Self {
    try reader.expect(.path)
    let path = try reader.data()
    let found = reader.scope?.targets?[Array(path)]?.responder
    if let found = found as? Self, found.application != nil { return found }
    let names = path.steps?.map(\.identifier) ?? []
    throw reader.missing("\(names.joined(separator: " › ")), which is not there")
  }
}

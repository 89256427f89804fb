public import ResponderChain
import LineageFiles

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
    var steps: [(identifier: String, ordinal: Int)] = []
    for responder in chain where !(responder is Application) {
      guard let mark = responder.mark else {
        throw StateError(
          .unstorable("\(path) cannot be found again: \(responder.path) has no identifier."))
      }
      let ordinal = responder.nextResponder?.ordinal(of: responder, writer.contexts)
      steps.append((mark.identifier, ordinal ?? 0))
    }
    guard application != nil else {
      throw StateError(.unstorable("\(path) is in no application."))
    }
    var bytes = ByteBuffer(capacity: 64)
    bytes.append(length: steps.count)
    for step in steps.reversed() {
      bytes.append(step.identifier)
      bytes.append(length: step.ordinal)
    }
    writer.hasPaths = true
    writer.write(.path)
    writer.bytes.append(length: bytes.count)
    writer.bytes.append(bytes.bytes(from: 0).span)
  }

  /// Reads a path, and returns the responder that has it.
  ///
  /// - Complexity: At most O(*depth* + *s*) for *s* siblings of the found responder and of its
  ///   ancestors.
  public static func read(from reader: inout ValueReader) throws -> Self {
    try reader.expect(.path)
    reader.scope?.contexts.hasReadPaths = true
    let bytes = try reader.data()
    var steps = ValueReader(reader.bytes, bytes.indices)
    var node: Responder? = reader.scope?.responder.application
    var names: [String] = []
    for _ in 0..<(try steps.length()) {
      let identifier = try steps.text()
      let ordinal = Int(clamping: try steps.varint())
      names.append(identifier)
      node = node?.owned(identifier, ordinal, reader.scope?.contexts)
    }
    guard let found = node as? Self else {
      throw reader.missing("\(names.joined(separator: " › ")), which is not there")
    }
    return found
  }
}

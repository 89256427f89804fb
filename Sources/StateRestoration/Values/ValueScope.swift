import LineageFiles
import ResponderChain

/// The registered contexts of one restoration, and notes about the values that are being read.
package final class ContextTable {
  /// The registrations, by the names in archives.
  let registrations: [String: any ContextRegistration]
  /// The names in archives, sorted.
  let names: [String]
  /// The reasons for which references of the present value led to nothing, one for each reference.
  ///
  /// Exclusivity checking is off for speed. This is safe because no access runs code of an app.
  @exclusivity(unchecked) @safe var missing: [String] = []
  /// Whether a path of a responder was read since this was last set to false.
  var hasReadPaths = false
  /// The tables of siblings, by parent. Only parents with many siblings below them have one.
  var siblings: [ObjectIdentifier: SiblingTable] = [:]
  /// The number of responders that were visited to find or write paths, for tests of the cost.
  var pathSteps = 0

  /// Forgets the missing references of the last value, before another one is read.
  func forgetMissing() { if !missing.isEmpty { missing = [] } }

  /// The registration that was found last, with the bytes of its name. It is kept because most
  /// references of an archive are of one context.
  private var last: (name: [UInt8], registration: any ContextRegistration)?

  init(_ names: [ContextName]) {
    registrations = Dictionary(names.map { ($0.name, $0.registration) }) { one, other in
      precondition(
        one.key == other.key, "A ContextName stands for \(one.key) and for \(other.key).")
      return one
    }
    self.names = registrations.keys.sorted()
  }

  /// Returns the registration of a name in UTF-8.
  func registration(_ name: ArraySlice<UInt8>) -> (any ContextRegistration)? {
    if let last, name.elementsEqual(last.name) { return last.registration }
    guard let found = registrations[String(decoding: name, as: UTF8.self)] else { return nil }
    last = (Array(name), found)
    return found
  }
}

/// The responder and the contexts with which values are written and read.
///
/// A scope may be kept for the next value of the same responder. It does not retain the responder.
package final class ValueScope {
  /// The responder that has the values.
  unowned let responder: Responder
  let contexts: ContextTable

  init(_ responder: Responder, _ contexts: ContextTable) {
    self.responder = responder
    self.contexts = contexts
  }
}

/// The error of reading a value whose context is not there yet. The value waits then.
package struct ValueIsWaiting: Error {
  package init() {}
}

/// The error of reading a reference that leads to nothing. An optional is nil then, and a
/// collection leaves the element out.
package struct ReferenceIsMissing: Error, CustomStringConvertible {
  package let description: String
}

extension ValueWriter {
  /// Writes a reference with the name of the context to which it belongs. The closure tells whether
  /// that is a given context. When the reference is read, the context of that name resolves it.
  ///
  /// - Throws: ``StateError`` if the responder finds no registered context that the closure
  ///   accepts.
  package mutating func writeReference(
    _ text: String, _ accepts: (Any) -> Bool
  ) throws {
    guard let responder, let contexts else {
      throw StateError(.unstorable("It is not in a tree."))
    }
    let name = contexts.names.first { name in
      guard
        case .value(let context)? = contexts.registrations[name]?.inherited(at: responder)
      else { return false }
      return accepts(context)
    }
    guard let name else {
      throw StateError(
        .unstorable("\(text) is of no context that \(responder.path) finds by a ContextName.")
      )
    }
    if !needs.contains(name) { needs.append(name) }
    write(.reference)
    bytes.append(name)
    bytes.append(text)
  }
}

extension ValueReader {
  /// Reads a reference. Returns the bytes of its text, and the context that can resolve it.
  ///
  /// - Throws: ``ValueIsWaiting`` if the context is not there yet.
  package mutating func readReference() throws -> (text: ArraySlice<UInt8>, context: Any) {
    let tag = try tag()
    guard tag == .reference else { throw mismatch("an object of a context", tag) }
    let name = try data()
    let reference = try data()
    guard let scope, let context = scope.contexts.registration(name) else {
      let name = String(decoding: name, as: UTF8.self)
      throw StateError(.unstorable("No context has the ContextName \(name)."))
    }
    guard case .value(let found) = context.resolve(at: scope.responder) else {
      throw ValueIsWaiting()
    }
    return (reference, found)
  }

  /// Notes that a reference led to nothing.
  ///
  /// - Returns: the error that the caller must throw.
  package func missing(_ text: String) -> ReferenceIsMissing {
    scope?.contexts.missing.append(text)
    return ReferenceIsMissing(description: text)
  }
}

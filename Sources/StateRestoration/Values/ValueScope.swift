import LineageFiles
import ResponderChain

/// The registered contexts of one restoration, with notes about the values that are being read.
package final class ContextTable {
  /// The registered names, each as a text and in UTF-8, sorted.
  let registrations: [(name: String, utf8: [UInt8], context: ContextRegistration)]
  /// The reasons why references of the present value led to nothing, one for each reference.
  ///
  /// Exclusivity is unchecked for speed (`restore`): no access runs code of an app.
  @exclusivity(unchecked) @safe var missing: [String] = []
  /// Whether some of these references may lead to something later, for example because reading has
  /// failed.
  @exclusivity(unchecked) @safe var isMissingForNow = false
  /// Whether the present value, or a part of it, stands in for an archived one that waits for its
  /// context.
  @exclusivity(unchecked) @safe var hasStandIn = false
  /// The responders to which values refer. When there are many, those that are over are removed.
  var responders: [RecordID: ReferredResponder] = [:] {
    didSet {
      guard responders.count > sweepCount else { return }
      responders = responders.filter { !$0.value.isOver }
      sweepCount = max(1024, responders.count * 2)
    }
  }
  private var sweepCount = 1024

  /// The greatest number of context names of a restoration, and of those in one record. A record
  /// with more counts as damaged, so that forged bytes cost no time.
  static let limit = 256

  init(_ names: [ContextName]) {
    precondition(
      names.count < Self.limit && names.allSatisfy { !$0.name.isEmpty },
      "A Restoration has less than \(Self.limit) names of contexts, and none of them is empty.")
    let unique = Dictionary(names.map { ($0.name, $0.registration) }) { one, other in
      precondition(
        one.key == other.key, "A ContextName stands for \(one.key) and for \(other.key).")
      return one
    }
    registrations = unique.sorted { $0.key < $1.key }.map { ($0.key, Array($0.key.utf8), $0.value) }
  }

  /// The parts of records that the registered contexts have.
  var parts: [any RecordPart] { registrations.compactMap(\.context.part) }

  /// Returns the name of a key; nil if it has none.
  func name(of key: any ContextKey.Type) -> String? {
    registrations.first { $0.context.key == key }?.name
  }

  /// Returns whether a key has a name.
  func isRegistered(_ key: any ContextKey.Type) -> Bool {
    name(of: key) != nil
  }

  /// Returns the registration with a name; nil if none.
  func registration(named name: String) -> ContextRegistration? {
    registrations.first { $0.name == name }?.context
  }

  /// Returns the registration with a name, given in UTF-8; nil if none.
  func registration(_ name: ArraySlice<UInt8>) -> ContextRegistration? {
    registrations.first { $0.utf8.isEqual(0..<$0.utf8.count, name.span) }?.context
  }

  /// Returns the responder to which values refer by an id; nil if it is not there.
  func responder(_ id: RecordID) -> Responder? { responders[id]?.responder }

  /// Forgets the notes about the last value, before another value is read.
  func forgetNotes() {
    if !missing.isEmpty { missing = [] }
    (isMissingForNow, hasStandIn) = (false, false)
  }

  /// Returns the bytes that the closure writes for a value of a responder; nil if the value cannot
  /// be written.
  func bytes(
    at responder: Responder, _ write: (inout ValueWriter) throws -> Void
  ) -> [UInt8]? {
    var writer = ValueWriter(capacity: 64)
    writer.contexts = self
    writer.responder = responder
    guard (try? write(&writer)) != nil else { return nil }
    return writer.bytes.bytes(from: 0)
  }
}

/// The responder and the contexts with which values are read.
///
/// A scope may be used again for the next value of the same responder. It does not retain the
/// responder.
package final class ValueScope {
  /// The responder that has the values.
  unowned let responder: Responder
  let contexts: ContextTable

  init(_ responder: Responder, _ contexts: ContextTable) {
    self.responder = responder
    self.contexts = contexts
  }
}

/// The error of reading a value for which a context is still missing. The value then waits for the
/// context.
struct ValueIsWaiting: Error {}

/// The error of reading a reference that leads to nothing. An optional that contains the reference
/// becomes nil, and a collection leaves the element out.
package struct ReferenceIsMissing: Error, CustomStringConvertible {
  package let description: String
}

extension ValueWriter {
  /// Writes a reference, and the name of a context that can resolve it. The closure returns whether
  /// a context can. If `isOwn` is true, it accepts only a context to which the object belongs; if
  /// there is none, it is called again with `isOwn` false.
  ///
  /// - Throws: ``StateError`` if the closure accepts no context that the responder finds.
  package mutating func writeReference(
    _ text: String, _ accepts: (AnyObject, _ isOwn: Bool) -> Bool
  ) throws {
    guard let responder, let contexts else {
      throw StateError(.unstorable("It is not in a tree."))
    }
    func name(isOwn: Bool) -> String? {
      contexts.registrations.first { entry in
        entry.context.inherited(at: responder).map { accepts($0, isOwn) } ?? false
      }?.name
    }
    guard let name = name(isOwn: true) ?? name(isOwn: false) else {
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
  /// Reads a reference. Returns the bytes of its text, and the context that can resolve the
  /// reference.
  ///
  /// - Throws: ``ValueIsWaiting`` if the responder does not find the context yet.
  package mutating func readReference() throws -> (text: ArraySlice<UInt8>, context: AnyObject) {
    try skipEarlyPart()
    try expect(.reference)
    let (name, reference) = (try data(), try data())
    guard let scope, let registration = scope.contexts.registration(name) else {
      let name = String(decoding: name, as: UTF8.self)
      throw StateError(.unstorable("No context has the ContextName \(name)."))
    }
    guard let context = registration.context(at: scope.responder) else { throw ValueIsWaiting() }
    return (reference, context)
  }

  /// Reads a reference without its context. Returns the bytes of its text; nil if the next value is no
  /// reference, which is then still to be read.
  package mutating func readReferenceText() throws -> ArraySlice<UInt8>? {
    try skipEarlyPart()
    guard try peekTag() == .reference else { return nil }
    try expect(.reference)
    _ = try data()
    return try data()
  }

  /// Returns whether the value refers into a context that the responder does not find yet.
  mutating func isWaiting() -> Bool {
    let start = position
    defer { position = start }
    guard (try? tag()) == .reference, let name = try? data(), let scope,
      let registration = scope.contexts.registration(name)
    else { return false }
    return !registration.isFound(at: scope.responder)
  }

  /// Notes that a reference led to nothing. The text is the reason. `isForNow` says that the
  /// reference may lead to something later.
  ///
  /// - Returns: the error that the caller must throw.
  package func missing(_ text: String, isForNow: Bool = false) -> ReferenceIsMissing {
    scope?.contexts.missing.append(text)
    if isForNow { scope?.contexts.isMissingForNow = true }
    return ReferenceIsMissing(description: text)
  }
}

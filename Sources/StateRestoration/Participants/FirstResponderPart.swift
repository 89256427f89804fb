import ResponderChain

/// The first responder, as a part of the application's record: the id of its record, or of the nearest
/// one above it that is archived.
final class FirstResponderPart: RecordPart {
  static let partName = "first responder"
  let name = FirstResponderPart.partName
  private let contexts: ContextTable

  init(_ contexts: ContextTable) { self.contexts = contexts }

  /// The part needs no lock, because it may come back in several processes.
  var needsLock: Bool { false }

  func part(of responder: Responder) -> ArchivedPart? {
    guard let application = responder as? Application, let home = application.mark?.record?.home
    else { return nil }
    var node = application.firstResponder
    while let responder = node, responder !== application {
      if let id = home.id(of: responder) {
        return ArchivedPart(name: name, needs: [], bytes: id.bytes)
      }
      node = responder.nextResponder
    }
    return nil
  }

  func read(_ part: ArchivedPart, for responder: Responder) throws -> any ReadPart {
    ReadFirstResponder(RecordID(part.bytes[...]), responder as? Application, contexts)
  }

  func prefetch(_ parts: [any ReadPart]) -> Any? { nil }
  func problem(at responder: Responder) -> String? { nil }
  func didHandOver(_ responder: Responder) {}
  func isEqual(_ part: ArchivedPart, _ other: ArchivedPart) -> Bool { part.bytes == other.bytes }
}

/// The first responder of an archive.
private final class ReadFirstResponder: ReadPart {
  private let id: RecordID
  private let application: Application?
  private let contexts: ContextTable

  init(_ id: RecordID, _ application: Application?, _ contexts: ContextTable) {
    (self.id, self.application, self.contexts) = (id, application, contexts)
  }

  func apply() throws -> PartOutcome {
    guard let application else { return .applied([], rest: nil) }
    guard let first = contexts.responder(id), first.application === application else {
      return .waiting("its first responder is not there yet.")
    }
    let mark = application.mark as? RootMark
    mark?.isRestoringFirst = true
    defer { mark?.isRestoringFirst = false }
    try application.makeFirst(first)
    return .applied([], rest: nil)
  }
}

// Facts about slots, for the page of an inspector. None of these functions changes anything.
extension Responder {
  /// Returns the value of the responder's own slot, or the child of its own branch, if that is an
  /// object; nil otherwise.
  package final func ownObject(_ key: any ContextKey.Type) -> AnyObject? {
    switch contents?.slot(KeyID(key))?.state {
    case .value(let cell): cell.object?.strong
    case .branch(let branch): branch.child?.cell.object?.strong
    case .pending, .failed, .block, nil: nil
    }
  }

  /// Returns whether the responder's own branch keeps a child although it inherits another context.
  package final func isDrifting(_ key: any ContextKey.Type) -> Bool {
    contents?.slot(KeyID(key))?.branch?.isDrifting ?? false
  }

  /// The keys for which tasks wait at the responder. A key of several tasks is there several times.
  package final var waitingKeys: [any ContextKey.Type] {
    (contents?.listeners?.own ?? []).filter { $0.kind == .waiting && !$0.hasEnded }
      .map { $0.key.key }
  }
}

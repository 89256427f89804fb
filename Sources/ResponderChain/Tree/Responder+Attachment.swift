extension Responder {
  /// The object of another module that is told of changes of this responder's links and slots;
  /// `nil` by default.
  ///
  /// - Complexity: O(1). Setting the first attachment of a leaf under ``Strategy/baton`` is O(*s*)
  ///   for *s* slots that the leaf inherits.
  package final var attachment: (any Attachment)? {
    get { ownAttachment }
    set {
      let old = ownAttachment
      guard newValue !== old else { return }
      if ownCore == nil { begin(with: AttachedCore()) }
      core.attachment = newValue
      // The old attachment is released last, because its deinit may read the responder.
      withExtendedLifetime(old) {}
    }
  }

  /// Tells the attachments of the child and of this responder that the child was linked to this
  /// responder.
  @inline(__always)
  final func noticeLink(of child: Responder) {
    child.ownAttachment?.didLink(child)
    ownAttachment?.ownedDidChange(of: self)
  }

  /// Tells the attachments of the child and of this responder that the child was unlinked from this
  /// responder.
  @inline(__always)
  final func noticeUnlink(of child: Responder) {
    child.ownAttachment?.didUnlink(child)
    ownAttachment?.ownedDidChange(of: self)
  }
}

public import ResponderChain

extension Responder {
  /// The name under which the state of the responder is archived; nil, as by default, if the state
  /// is not archived.
  ///
  /// Set it before the responder is attached, for example in `init`. If it is set again later, the
  /// responder keeps its archived values and its ``restorationKind``. If it becomes nil, they are
  /// lost.
  ///
  /// A responder takes part in restoration if it and all its ancestors below the application have
  /// an identifier. Siblings with the same identifier are told apart by their order.
  ///
  /// The identifier of a responder without anything else takes at most 224 bytes.
  public final var restorationIdentifier: String? {
    get { mark.flatMap { $0 is RootMark ? nil : $0.identifier } }
    set {
      precondition(!(self is Application), "An application has no restoration identifier.")
      guard newValue != restorationIdentifier else { return }
      if let newValue, let mark {
        mark.rename(newValue, of: self)
      } else if let newValue {
        attachment = Mark(newValue, properties)
      } else {
        let properties = properties
        attachment = properties.isEmpty ? nil : PropertyHolder(properties)
      }
      if let parent = nextResponder { parent.mark?.ownedDidChange(of: parent) }
    }
  }

  /// The name of the kind that makes the responder in the next process.
  ///
  /// If it is nil, the kind is the first of these that exists: the kind that made the responder in
  /// this process, the kind with the name of its identifier, the kind of its class. Setting it does
  /// nothing as long as the responder has no identifier.
  ///
  /// The name is archived even if no kind of this process has it, which the report says as a
  /// problem. Only a process that registers the kind makes the responder.
  public final var restorationKind: String? {
    get { mark?.kindName }
    set {
      guard let mark, newValue != mark.kindName else { return }
      let next =
        newValue.map { KindMark(mark.identifier, kind: $0, properties) }
        ?? Mark(mark.identifier, properties)
      next.takeRecord(of: mark)
      attachment = next
      next.noteChange(of: self)
      next.ownedDidChange(of: self)
    }
  }

  /// Notes that state has changed which the responder writes by its methods. The next save of
  /// changes calls them.
  public final func invalidateRestorableState() { mark?.noteChange(of: self) }
}

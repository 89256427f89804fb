public import ResponderChain

extension Responder {
  /// The name under which the state of the responder is archived. If it is nil, which is the
  /// default, the state is not archived.
  ///
  /// Set the identifier before the responder is attached, for example in `init`. If it is set again
  /// later, the archived values and the ``restorationKind`` stay. If it becomes nil, they are lost.
  ///
  /// A responder takes part in restoration if the responder and all its ancestors below the
  /// application have an identifier. Siblings with the same identifier are told apart by their
  /// order.
  ///
  /// The identifier of a responder without restorable properties takes at most 224 bytes of memory.
  public final var restorationIdentifier: String? {
    get { mark.flatMap { $0 is RootMark ? nil : $0.identifier } }
    set {
      precondition(!(self is Application), "An application has no restoration identifier.")
      if let newValue {
        takePart(as: newValue)
      } else if let mark {
        if let record = mark.record { mark.keeper?.didLose(record) }
        attachment = properties.isEmpty ? nil : PropertyHolder(properties)
        if let parent = nextResponder { parent.mark?.ownedDidChange(of: parent) }
      }
    }
  }

  /// Appends a child, and gives it a restoration identifier; see `append(_:)`.
  ///
  /// - Throws: `TreeError` if the child cannot be appended. Its identifier has not changed then.
  public final func append(_ child: Responder, as identifier: String) throws {
    try child.attach(as: identifier) { try append(child) }
  }

  /// Sets the identifier, then calls a closure that attaches the responder. If this throws, the
  /// responder has its old identifier.
  fileprivate final func attach(as identifier: String, _ attach: () throws -> Void) throws {
    let old = restorationIdentifier
    restorationIdentifier = identifier
    do {
      try attach()
    } catch {
      restorationIdentifier = old
      throw error
    }
  }

  /// Gives the responder an identifier, if it has another identifier or none.
  ///
  /// - Returns: the responder's mark.
  @discardableResult
  final func takePart(as identifier: String) -> Mark {
    let mark: Mark
    if let present = self.mark {
      guard present.identifier != identifier else { return present }
      present.rename(identifier)
      mark = present
    } else {
      mark = Mark(identifier, properties, kind: restorationKind)
      attachment = mark
    }
    if let parent = nextResponder { parent.mark?.ownedDidChange(of: parent) }
    return mark
  }

  /// The name of the kind that makes the responder in the next process.
  ///
  /// If this property is nil, the kind is the first of these that exists: the kind that made the
  /// responder in this process, the kind with the name of its identifier, the kind of its class.
  /// It may be set before the identifier.
  ///
  /// The name is archived even if no kind of this process has it. The report then says so. Only a
  /// process that registers it makes the responder.
  public final var restorationKind: String? {
    get { (attachment as? PropertyHolder)?.kindName }
    set {
      guard !(self is Application), newValue != restorationKind else { return }
      let holder = attachment as? PropertyHolder ?? PropertyHolder()
      holder.kindName = newValue
      attachment = holder
      mark?.noteChange()
    }
  }

  /// Notes a change of the state that the responder's methods write. The next save calls these
  /// methods.
  public final func invalidateRestorableState() { mark?.noteChange() }
}

extension Controller {
  /// Presents a controller, and gives it a restoration identifier; see `present(_:)`.
  ///
  /// ```swift
  /// try screen.present(CardForm(card), as: "form")
  /// ```
  ///
  /// - Throws: `TreeError` if the controller cannot be presented. Its identifier has not changed then.
  public final func present(_ controller: Controller, as identifier: String) throws {
    try controller.attach(as: identifier) { try present(controller) }
  }
}

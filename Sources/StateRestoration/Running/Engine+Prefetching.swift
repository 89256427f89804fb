import ResponderChain

extension Engine {
  /// Fetches the objects to which the values of records refer. References to one context of one
  /// responder are fetched together.
  ///
  /// The report gets a line for each value with a reference that leads to nothing, even if the
  /// value is never read.
  func prefetch(_ records: [(id: UInt32, responder: Responder)]) {
    var groups = ReferenceGroups()
    for (id, responder) in records {
      forEachReference(of: id) { _, name, text in
        if let group = groups.group(name, responder, contexts) {
          groups.all[group].references.append(text)
        }
      }
    }
    var missing: [ArraySlice<UInt8>: String] = [:]
    for group in groups.all {
      let fetched = group.registration.prefetch(group.references, in: group.context)
      if let kept = fetched.kept { prefetched.append(kept) }
      missing.merge(fetched.missing) { one, _ in one }
    }
    guard !missing.isEmpty else { return }
    for (id, responder) in records { noteMissing(missing, id, responder) }
  }

  /// Notes the values of a record that have references which lead to nothing.
  private func noteMissing(
    _ missing: [ArraySlice<UInt8>: String], _ id: UInt32, _ responder: Responder
  ) {
    guard let values = log.reader(of: id).flatMap({ try? RecordValues($0) }) else { return }
    var found: [(key: String, reasons: [String])] = []
    forEachReference(of: id) { entry, _, text in
      guard let reason = missing[text] else { return }
      let key = values.key(entry)
      if found.last?.key != key { found.append((key, [])) }
      found[found.count - 1].reasons.append(reason)
    }
    for (key, reasons) in found { note(missing: reasons, key: key, of: responder) }
  }

  /// Calls the closure with each reference in the values of a record.
  private func forEachReference(
    of id: UInt32,
    _ body: (RecordValues.Entry, _ context: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Void
  ) {
    guard let values = log.reader(of: id).flatMap({ try? RecordValues($0) }) else { return }
    try? values.forEach { entry in
      var reader = values.reader(entry, nil)
      try reader.forEachReference { body(entry, $0, $1) }
    }
  }

  /// Releases the prefetched objects at the next turn of the main loop, when the values of the
  /// restored responders have been read.
  func releasePrefetchedSoon() {
    guard !prefetched.isEmpty else { return }
    application?.mailbox.post { application in
      ((application.attachment as? RootMark)?.keeperOfTree as? Engine)?.prefetched = []
    }
  }
}

/// The references of several records, grouped by the responders that provide their contexts.
private struct ReferenceGroups {
  /// The references to one context of one responder, which are fetched together.
  struct Group {
    let provider: Responder
    let context: Any
    let registration: any ContextRegistration
    var references: [ArraySlice<UInt8>] = []
  }

  var all: [Group] = []
  /// The group that was found last. It is kept because siblings usually follow each other and
  /// inherit the same context.
  private var last: (parent: Responder, key: any ContextKey.Type, group: Int?)?

  /// Returns the index of the group of a responder's references; nil if there is no context.
  mutating func group(
    _ name: ArraySlice<UInt8>, _ responder: Responder, _ contexts: ContextTable
  ) -> Int? {
    guard let registration = contexts.registration(name) else { return nil }
    let inherits =
      switch registration.slotKind(at: responder) {
      case nil, .branch: true
      default: false
      }
    guard inherits, let parent = responder.nextResponder else {
      return group(registration, responder)
    }
    if let last, last.parent === parent, last.key == registration.key { return last.group }
    let found = group(registration, responder)
    last = (parent, registration.key, found)
    return found
  }

  private mutating func group(
    _ registration: any ContextRegistration, _ responder: Responder
  ) -> Int? {
    guard let (provider, state) = registration.provider(of: responder),
      case .value(let context) = state
    else { return nil }
    let known = all.firstIndex {
      $0.provider === provider && $0.registration.key == registration.key
    }
    if let known { return known }
    all.append(Group(provider: provider, context: context, registration: registration))
    return all.count - 1
  }
}

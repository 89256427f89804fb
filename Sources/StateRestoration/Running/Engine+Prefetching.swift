import ResponderChain

extension Engine {
  /// Fetches the objects to which the values of records refer. The objects of one context are
  /// fetched together.
  ///
  /// A reference that leads to nothing gets a line in the report, even if the value with that
  /// reference is never read.
  ///
  /// `needs` has the names of the contexts that the values of a record need. If the responder finds
  /// none of these contexts, the record is not read.
  func prefetch(_ records: [(id: UInt32, responder: Responder, needs: [String])]) {
    guard crashGuard.prefetches else { return }
    let place = crashGuard.place
    crashGuard.enter(.prefetching)
    defer { crashGuard.leave(to: place) }
    var groups = ReferenceGroups()
    for (id, responder, needs) in records {
      // Mostly, all references of a record need the same context.
      var registration: (any ContextRegistration)?
      var group: Int?
      for name in needs where group == nil {
        registration = contexts.registration(named: name)
        group = groups.group(of: registration, responder)
      }
      guard group != nil else { continue }
      forEachReference(of: id) { _, name, text in
        let wanted = contexts.registration(name)
        if wanted !== registration {
          registration = wanted
          group = groups.group(of: wanted, responder)
        }
        if let group { groups.all[group].references.append(text) }
      }
    }
    var missing: [ArraySlice<UInt8>: String] = [:]
    for group in groups.all {
      let fetched = group.registration.prefetch(group.references, in: group.context)
      if let kept = fetched.kept { prefetched.append(kept) }
      missing.merge(fetched.missing) { one, _ in one }
    }
    guard !missing.isEmpty else { return }
    for (id, responder, _) in records { noteMissing(missing, id, responder) }
  }

  /// Notes which values of a record have references that lead to nothing.
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
      guard values.mayHaveReferences(entry) else { return }
      var reader = values.reader(entry, nil)
      try reader.forEachReference { body(entry, $0, $1) }
    }
  }

  /// Releases the prefetched objects at the next turn of the main loop. By then, the restored
  /// responders usually have read the values that they need at once.
  func releasePrefetchedSoon() {
    guard !prefetched.isEmpty else { return }
    application?.mailbox.post { application in
      ((application.attachment as? RootMark)?.keeperOfTree as? Engine)?.prefetched = []
    }
  }
}

/// The references of several records, grouped by the contexts in which their objects are fetched.
private struct ReferenceGroups {
  /// The references into one context, which are fetched together.
  struct Group {
    let provider: Responder
    let context: AnyObject
    let registration: any ContextRegistration
    var references: [ArraySlice<UInt8>] = []
  }

  var all: [Group] = []
  /// The parent for which a group was looked up last. The result is remembered because siblings
  /// usually come one after the other and inherit the same context.
  private var lastParent: Responder?
  private var lastRegistration: (any ContextRegistration)?
  private var lastGroup: Int?

  /// Returns the index of the group for a responder's references to a named context; nil if the
  /// responder finds no such context.
  mutating func group(
    of registration: (any ContextRegistration)?, _ responder: Responder
  ) -> Int? {
    guard let registration else { return nil }
    guard registration.isInherited(at: responder), let parent = responder.nextResponder else {
      return group(registration, responder)
    }
    if lastParent === parent, lastRegistration === registration { return lastGroup }
    (lastParent, lastRegistration) = (parent, registration)
    lastGroup = group(registration, responder)
    return lastGroup
  }

  private mutating func group(
    _ registration: any ContextRegistration, _ responder: Responder
  ) -> Int? {
    guard let (provider, context) = registration.provider(of: responder) else { return nil }
    let known = all.firstIndex {
      $0.provider === provider && $0.registration.key == registration.key
    }
    if let known { return known }
    all.append(Group(provider: provider, context: context, registration: registration))
    return all.count - 1
  }
}

import ResponderChain

extension Engine {
  /// Fetches the objects to which the values of records refer. The objects of one context are
  /// fetched together.
  ///
  /// A reference that leads to nothing gets a line in the report, even if the value with that
  /// reference is never read.
  ///
  /// If the responder finds none of the contexts that a record needs, the record is not read.
  func prefetch(_ records: [ReferringRecord]) {
    guard crashGuard.prefetches else { return }
    let place = crashGuard.place
    crashGuard.enter(.prefetching)
    defer { crashGuard.leave(to: place) }
    var groups = ReferenceGroups()
    forEachReference(of: records, &groups) { groups, group, _, _, text in
      groups.all[group].references.append(text)
    }
    var missing: [[ArraySlice<UInt8>: String]] = []
    for group in groups.all {
      let fetched = group.registration.prefetch(group.references, in: group.context)
      if let kept = fetched.kept { prefetched.append(kept) }
      missing.append(fetched.missing)
    }
    guard missing.contains(where: { !$0.isEmpty }) else { return }
    // Several references of one value may be missing. They follow each other.
    var found: [(record: ReferringRecord, key: String, reasons: [String])] = []
    forEachReference(of: records, &groups) { groups, group, record, key, text in
      guard missing.indices.contains(group), let reason = missing[group][text] else { return }
      let key = key()
      if found.last?.record.id != record.id || found.last?.key != key {
        found.append((record, key, []))
      }
      found[found.count - 1].reasons.append(reason)
    }
    for (record, key, reasons) in found {
      note(missing: reasons, key: key, of: record.responder, record.object)
    }
  }

  /// Calls the closure with each reference in the values of some records, the index of its group,
  /// and the key of its value.
  private func forEachReference(
    of records: [ReferringRecord], _ groups: inout ReferenceGroups,
    _ body: (
      inout ReferenceGroups, _ group: Int, ReferringRecord, _ key: () -> String,
      _ text: ArraySlice<UInt8>
    ) -> Void
  ) {
    for record in records {
      // Mostly, all references of a record need the same context.
      var registration: (any ContextRegistration)?
      var group: Int?
      for name in record.needs where group == nil {
        registration = contexts.registration(named: name)
        group = groups.group(of: registration, record.responder)
      }
      guard group != nil else { continue }
      forEachReference(of: record.id) { values, entry, name, text in
        let wanted = contexts.registration(name)
        if wanted !== registration {
          registration = wanted
          group = groups.group(of: wanted, record.responder)
        }
        if let group { body(&groups, group, record, { values.key(entry) }, text) }
      }
    }
  }

  /// Calls the closure with each reference in the values of a record.
  private func forEachReference(
    of id: UInt32,
    _ body: (
      RecordValues, RecordValues.Entry, _ context: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>
    ) -> Void
  ) {
    guard let values = log.reader(of: id).flatMap({ try? RecordValues($0) }) else { return }
    try? values.forEach { entry in
      guard values.mayHaveReferences(entry) else { return }
      var reader = values.reader(entry, nil)
      try reader.forEachReference { body(values, entry, $0, $1) }
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

/// A record with values that may be references, and the responder or object that has the record.
struct ReferringRecord {
  let id: UInt32
  /// The responder, or that below which the object was added.
  let responder: Responder
  /// The added object; nil if the responder has the record.
  let object: AddedObject?
  /// The names of the contexts that the values need.
  let needs: [String]
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

  private struct Place: Hashable {
    let provider: ObjectIdentifier
    let key: ObjectIdentifier
  }

  var all: [Group] = []
  /// The index of each group.
  private var indices: [Place: Int] = [:]
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
    let place = Place(provider: ObjectIdentifier(provider), key: ObjectIdentifier(registration.key))
    if let known = indices[place] { return known }
    all.append(Group(provider: provider, context: context, registration: registration))
    indices[place] = all.count - 1
    return all.count - 1
  }
}

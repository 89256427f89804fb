import ResponderChain

/// Fetches the objects to which the values of records refer. The objects of one context are fetched
/// together.
///
/// A reference that leads to nothing is reported, even if its value is never read. If the responder
/// finds none of the contexts that a record needs, the record is not read.
struct Prefetch {
  private let session: Session

  init(_ session: Session) { self.session = session }

  func fetch(_ records: [ReferringRecord]) {
    guard !records.isEmpty, !session.guarding.isLeftOut(.prefetching) else { return }
    session.guarding.page.during(.prefetching) { fetchAll(records) }
  }

  private func fetchAll(_ records: [ReferringRecord]) {
    var groups = ReferenceGroups(session.contexts)
    for record in records where groups.begin(record) {
      record.record.forEachReference { _, name, text in
        if let group = groups.group(named: name) { groups.all[group].references.append(text) }
      }
    }
    let fetched = groups.all.map { $0.registration.prefetch($0.references, in: $0.context) }
    session.prefetched += fetched.compactMap(\.kept)
    guard fetched.contains(where: { !$0.missing.isEmpty }) else { return }
    // Notes which values have references that lead to nothing.
    for record in records where groups.begin(record) {
      var missing: [(key: String, reasons: [String])] = []
      record.record.forEachReference { entry, name, text in
        guard let group = groups.group(named: name), group < fetched.count,
          let reason = fetched[group].missing[text],
          !groups.all[group].registration.holds(text, at: record.responder)
        else { return }
        let key = record.record.values?.key(entry) ?? ""
        if missing.last?.key != key { missing.append((key, [])) }
        missing[missing.count - 1].reasons.append(reason)
      }
      for (key, reasons) in missing {
        session.note(missing: reasons, key: key, of: record.responder, record.object)
      }
    }
  }
}

/// A record with values that may be references. An array of tuples would be slow (`restore objects`).
struct ReferringRecord {
  let record: Record
  /// The responder that has the record, or below which the object was added.
  let responder: Responder
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
    let registration: ContextRegistration
    var references: [ArraySlice<UInt8>] = []
  }

  var all: [Group] = []
  private let contexts: ContextTable
  /// The index of each group.
  private var indices: [[ObjectIdentifier]: Int] = [:]
  /// The responder of the present record.
  private var responder: Responder?
  /// The parent and the registration for which a group was looked up last. Siblings usually come
  /// one after the other, and inherit the same context.
  private var last: (parent: Responder?, registration: ContextRegistration?, group: Int?)

  init(_ contexts: ContextTable) { self.contexts = contexts }

  /// Begins a record. Returns false if its responder finds none of the contexts that it needs.
  mutating func begin(_ record: ReferringRecord) -> Bool {
    responder = record.responder
    return record.needs.contains { group(of: contexts.registration(named: $0)) != nil }
  }

  /// Returns the index of the group for a reference of the record, given the name of its context in
  /// UTF-8. Returns nil if the responder finds no such context.
  mutating func group(named name: ArraySlice<UInt8>) -> Int? {
    group(of: contexts.registration(name))
  }

  private mutating func group(of registration: ContextRegistration?) -> Int? {
    guard let registration, let responder else { return nil }
    // A responder that inherits the context finds the same one as its siblings.
    let isInherited = responder.inherits(registration.key)
    let parent = isInherited ? responder.nextResponder ?? responder : responder
    if last.parent === parent, last.registration === registration { return last.group }
    last = (parent, registration, find(registration, responder))
    return last.group
  }

  private mutating func find(
    _ registration: ContextRegistration, _ responder: Responder
  ) -> Int? {
    guard let (provider, context) = registration.provider(of: responder) else { return nil }
    let key = [ObjectIdentifier(provider), ObjectIdentifier(registration.key)]
    if let known = indices[key] { return known }
    all.append(Group(provider: provider, context: context, registration: registration))
    indices[key] = all.count - 1
    return all.count - 1
  }
}

import ResponderChain

/// The facts that the launches, saves and waits of one restoration share.
final class Session {
  var settings = Settings()
  let kinds: KindTable
  let contexts: ContextTable
  let guarding: LaunchGuard
  let waits = Waits()
  /// The sorts of parts that records may have, besides their values.
  var parts: [any RecordPart]
  /// Whether launches apply the parts of records; false for a process that may not write the state.
  var appliesParts = true
  /// Whether this process writes the state.
  var writesState = true
  /// The added objects, which are not responders.
  let objects = AddedObjects()
  /// The responders and objects that code of the app has attached or added during the running
  /// restoration.
  let opened = OpenedOwners()
  /// The report of the running restoration, or of the last one. Exclusivity is unchecked for speed
  /// (`restore`) here and below: no access runs code of an app.
  @exclusivity(unchecked) @safe var report = RestorationReport()
  weak var application: Application?
  /// The responder that the restoration is linking, or is giving its archived slots, now. Its links
  /// and slots do not count as changes.
  @exclusivity(unchecked) @safe var touched: Responder?
  /// The part of the archive that this launch restores.
  var extent = Restoration.Extent.all
  /// The prefetched objects. They are retained until the next turn of the main loop, so that values
  /// which are read before then need no fetch of their own.
  var prefetched: [Any] = []

  init(_ kinds: [Kind], _ contexts: ContextTable, _ page: StrikePage) {
    self.kinds = KindTable(kinds)
    self.contexts = contexts
    guarding = LaunchGuard(page)
    parts = contexts.parts + [FirstResponderPart(contexts)]
  }

  /// Reports that references in a value led to nothing. The value belongs to `added`; if `added` is
  /// nil, the value belongs to the responder.
  func note(missing: [String], key: String, of responder: Responder, _ added: AddedObject?) {
    // Prefetching may have noted the same reasons already, before the value was read.
    guard let record = (added?.mark ?? responder.mark)?.record, record[missing: key] != missing
    else { return }
    record[missing: key] = missing
    for reason in missing {
      report.note("\(name(of: responder, added)): \"\(key)\" misses \(reason)")
    }
  }

  /// Reports that a value of a responder could not be read.
  func note(_ error: any Error, key: String, of responder: Responder) {
    report.add(problem: "\(responder.restorationPath): the value \"\(key)\" was not read: \(error)")
  }

  /// Returns the name of a responder or added object for a message.
  func name(of responder: Responder, _ added: AddedObject?) -> String {
    (added.map { "\($0.identifier) under " } ?? "") + responder.restorationPath
  }

  /// Tells a responder or object that it is restored, if it has a `didFinishRestoring()`.
  func finish(_ owner: AnyObject?, _ record: Record) {
    guard let owner = owner as? any RestorationFinishing else { return }
    let outer = guarding.page.enter(record.place)
    owner.didFinishRestoring()
    guarding.page.leave(to: outer)
  }

  /// Calls ``Restoration/onReport`` with the report.
  func sendReport() {
    guard let onReport = settings.onReport else { return }
    guarding.page.during(.reported) { onReport(report) }
  }
}

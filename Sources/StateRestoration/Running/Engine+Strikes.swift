import ResponderChain

extension Engine {
  /// Tells the crash guard which records with strikes are complete, and whether the launch is good.
  /// This is called when the launch has restored all, and whenever a record with strikes may have
  /// become complete.
  ///
  /// - Complexity: O(*n*) for *n* records if a record has strikes, and O(1) otherwise.
  func noteRestored() {
    guard hasRestoredAll else { return }
    let pending = crashGuard.hasStrikes ? pendingPlaces() : []
    for strike in crashGuard.book.strikes
    where strike.place.isRecord && !pending.contains(strike.place) {
      crashGuard.complete(strike.place)
    }
    crashGuard.noteRestored { pending.contains($0) }
  }

  /// Does the same as ``noteRestored()``, if at least one of the places has strikes.
  func noteProgress(in places: some Sequence<StrikePlace>) {
    guard crashGuard.hasStrikes else { return }
    let struck = Set(crashGuard.book.strikes.map(\.place))
    if places.contains(where: { struck.contains($0) }) { noteRestored() }
  }

  /// Returns the records with strikes that this launch restores, but of which not all is restored
  /// yet. A record that waits for its screen is one of them, and so is a record of which a value was
  /// not read.
  private func pendingPlaces() -> Set<StrikePlace> {
    guard let application, let root = application.mark?.record else { return [] }
    let struck = Set(crashGuard.book.strikes.map(\.place))
    var pending: Set<StrikePlace> = []
    _ = place(of: root)
    var level = [root]
    while !level.isEmpty {
      // The records below one that is left out are left out, too.
      level = level.flatMap(\.below).filter { $0.state != .gone && !isLeftOut($0.place) }
      for record in level where record.state == .carried && struck.contains(record.place) {
        pending.insert(record.place)
      }
    }
    func look(at mark: Mark?) {
      guard let mark, let record = record(of: mark), struck.contains(record.place) else { return }
      if waiting[ObjectIdentifier(record)] != nil || hasUnread(record, mark) {
        pending.insert(record.place)
      }
    }
    for responder in [application] + Array(application.descendants) {
      look(at: responder.mark)
      for object in objects.below(responder) { look(at: object.mark) }
    }
    return pending
  }

  /// Returns whether a record has a value that nothing has tried to read.
  private func hasUnread(_ record: Record, _ mark: Mark) -> Bool {
    guard let values = record.values else { return false }
    var hasUnread = false
    try? values.forEach { entry in
      if record.used.contains(entry.index) { return }
      let property = mark.properties.first { property in
        property.key.withText { values.hasKey(entry, $0) }
      }
      switch property?.phase {
      case nil, .initial, .known: hasUnread = true
      case .unreadable, .absent, .present: break
      }
    }
    return hasUnread
  }
}

extension Record {
  /// Sets the places of this record, which is the application's, and of all records below it.
  func setPlaces() {
    place = .application
    var records = [self]
    while let record = records.popLast() {
      let below = record.below.filter { $0.state != .gone }
      let headers = below.map { $0.header ?? RecordHeader() }
      for (child, (header, ordinal)) in zip(below, zip(headers, headers.strikeOrdinals)) {
        child.place = record.place.record(header.identifier, ordinal)
      }
      records += below
    }
  }
}

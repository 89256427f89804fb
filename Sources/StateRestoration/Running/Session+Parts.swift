import ResponderChain

extension Session {
  /// Applies the parts of records that wait and now find their contexts. The children of branches are
  /// made before. First all parts are read, then their objects are fetched together.
  func applyParts(of owners: [WaitingOwner]) {
    if owners.isEmpty { return }
    if !appliesParts { holdParts(of: owners) }
    let page = guarding.page
    let outer = page.place
    defer { page.leave(to: outer) }
    let due = owners.flatMap(read)
    prefetchObjects(of: due)
    for one in due {
      page.enter(one.owner.record.place)
      apply(one)
    }
  }

  /// A part that was read, and is applied next.
  private struct DuePart {
    let owner: WaitingOwner
    let archived: ArchivedPart
    let sort: any RecordPart
    let read: any ReadPart
  }

  /// Reads the parts of a record that find their contexts.
  private func read(_ owner: WaitingOwner) -> [DuePart] {
    guard let responder = owner.responder else { return [] }
    guarding.page.enter(owner.record.place)
    return owner.record.parts.compactMap { archived in
      guard archived.state == .waiting, let sort = parts.first(where: { $0.name == archived.name }),
        contexts.areFound(archived.needs, at: responder)
      else { return nil }
      for need in archived.needs { _ = contexts.registration(named: need)?.context(at: responder) }
      do {
        let read = try sort.read(archived, for: responder)
        return DuePart(owner: owner, archived: archived, sort: sort, read: read)
      } catch {
        owner.record.set(archived, .held)
        note(error, responder, archived)
        return nil
      }
    }
  }

  /// Fetches the objects of all parts, those of one context together. They are retained until the next
  /// turn of the main loop.
  private func prefetchObjects(of due: [DuePart]) {
    guard !due.isEmpty, !guarding.isLeftOut(.prefetching) else { return }
    guarding.page.during(.prefetching) {
      prefetched += parts.compactMap { sort in
        sort.prefetch(due.filter { $0.sort === sort }.map(\.read))
      }
    }
  }

  private func apply(_ one: DuePart) {
    let (record, archived) = (one.owner.record, one.archived)
    // Code of the app may save the state meanwhile, or may have dropped the part.
    guard let responder = one.owner.responder, record.state == .live,
      record.set(archived, .present)
    else { return }
    do {
      switch try one.read.apply() {
      case .applied(let notes, var rest):
        rest?.state = .held
        if let rest { record.parts.append(rest) }
        for note in notes { report.note("\(responder.restorationPath): \(note)") }
      case .waiting(let note):
        record.set(archived, .waiting)
        if waits.addPart(of: one.owner) { report.note("\(responder.restorationPath): \(note)") }
      }
    } catch {
      record.set(archived, .held)
      note(error, responder, archived)
    }
  }

  private func note(_ error: any Error, _ responder: Responder, _ archived: ArchivedPart) {
    report.add(
      problem: "\(responder.restorationPath): its changes of \(archived.name) were not restored: "
        + "\(error)")
  }

  private func needsLock(_ part: ArchivedPart) -> Bool {
    parts.first { $0.name == part.name }?.needsLock ?? true
  }

  /// Keeps parts for the next launch, because another process may have applied the same ones.
  private func holdParts(of owners: [WaitingOwner]) {
    for owner in owners {
      for part in owner.record.parts where part.state == .waiting && needsLock(part) {
        owner.record.set(part, writesState ? .held : .elsewhere)
        guard !part.bytes.isEmpty, let responder = owner.responder else { continue }
        report.add(
          problem: "\(responder.restorationPath): its changes of \(part.name) were not restored, "
            + "because the folder of the state is not locked for this process.")
      }
    }
  }
}

extension Session {
  /// Tells the owners of parts that the state, which was saved last, has these parts.
  func handOverParts(of application: Application) {
    guard !parts.isEmpty else { return }
    for responder in [application] + Array(application.descendants) {
      let archived = responder.mark?.record?.parts ?? []
      for part in archived where part.state == .present && !part.bytes.isEmpty {
        parts.first { $0.name == part.name }?.didHandOver(responder)
      }
    }
  }
}

extension Record {
  /// Sets the state of a part. Returns false if the record no longer has it.
  @discardableResult
  fileprivate func set(_ part: ArchivedPart, _ state: ArchivedPart.PartState) -> Bool {
    guard let index = parts.firstIndex(where: { $0.name == part.name && $0.bytes == part.bytes })
    else { return false }
    parts[index].state = state
    return true
  }

  /// Whether a part of the record waits for its context.
  var hasWaitingPart: Bool { parts.contains { $0.state == .waiting } }
}

extension Session {
  /// Returns a sentence for each responder whose kept changes did not come back, or would not come
  /// back completely. The other application was restored from an archive of the first one.
  func partProblems(of application: Application, _ other: Application) -> [String] {
    var others: [String: [Responder]] = [:]
    for responder in [other] + Array(other.descendants).reversed() where responder.mark != nil {
      others[responder.restorationPath, default: []].append(responder)
    }
    var problems: [String] = []
    for responder in [application] + Array(application.descendants) {
      let again = responder.mark == nil ? nil : others[responder.restorationPath]?.popLast()
      responder.forEachSlot { key, _ in
        guard responder.hasKeptBranch(key), !contexts.isRegistered(key) else { return }
        problems.append(
          "\(responder.path) keeps the changes of a branch of \(key), which has no ContextName.")
      }
      for part in parts {
        let problem =
          part.problem(at: responder) ?? again.flatMap { difference(part, responder, $0) }
        if let problem { problems.append("\(responder.path) \(problem)") }
      }
    }
    return problems
  }

  /// Returns the difference between the changes of a responder and those of its copy; nil if there is
  /// none.
  private func difference(
    _ part: any RecordPart, _ responder: Responder, _ copy: Responder
  ) -> String? {
    guard let changes = try? part.part(of: responder), !changes.bytes.isEmpty else { return nil }
    if copy.mark?.record?.hasWaitingPart == true {
      return "has changes of \(part.name) that wait for another context after the restoration."
    }
    if let now = try? part.part(of: copy), part.isEqual(changes, now) { return nil }
    return "has other changes of \(part.name) after the restoration."
  }
}

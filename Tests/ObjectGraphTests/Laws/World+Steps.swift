extension Laws {
  /// A world that the documentation allows after a step. Some steps have several such worlds.
  struct Possibility {
    var world: World
    var outcome = Outcome()
    /// Whether rows are left in the mailbox; nil for steps that do not return this.
    var hasMore: Bool?
  }
}

extension Laws.World {
  /// Tells whether a step makes sense in this world. Other steps are skipped, so that each step of
  /// a program can be removed.
  func allows(_ step: Laws.Step) -> Bool {
    switch step {
    case .set(let context, let id, let property, let value):
      guard let row = shown(id, in: context), row.properties.contains(property) else {
        return false
      }
      return allows(property, value, in: context)
    case .assign(let context, let id, let row):
      guard shown(id, in: context)?.isTeam == row.isTeam else { return false }
      return row.properties.allSatisfy { allows($0, row[$0], in: context) }
    case .insert(_, let id, _):
      return contexts.allSatisfy {
        $0.taken[id] == nil && $0.edits[id] == nil && $0.drafts[id] == nil && !$0.gone.contains(id)
      } && store[id] == nil
    case .insertAgain(let context, let id):
      guard holdsAll, !contexts[context].kept.contains(id), let row = contexts[context].drafts[id]
      else { return false }
      let isLinked = row.properties.contains { $0.isReference && row[$0] != 0 }
      return !isLinked
        && !contexts[context].drafts.values.contains { row in
          row.properties.contains { $0.isReference && row[$0] == id }
        }
    case .delete(let context, let id): return shown(id, in: context) != nil
    case .group(_, let steps): return steps.contains { allows($0) }
    case .merge(let context), .slice(let context, _), .refresh(let context):
      return contexts[context].parent == nil
    case .undo(let context), .redo(let context): return contexts[context].recordsUndo
    case .discard, .save, .saveAll, .policy: return true
    }
  }

  private func allows(_ property: Property, _ value: Int, in context: Int) -> Bool {
    guard property.isReference, value != 0 else { return true }
    return shown(value, in: context)?.isTeam == (property != .friend)
  }

  /// Returns the step without the parts that make no sense; nil if nothing is left.
  func allowed(_ step: Laws.Step) -> Laws.Step? {
    guard case .group(let context, let steps) = step else { return allows(step) ? step : nil }
    var copy = self
    var kept: [Laws.Step] = []
    copy.operate(in: context) { world in
      for step in steps where world.allows(step) {
        kept.append(step)
        let outcome = world.edit(step)
        world.tellChildren(of: context)
        if !outcome.failures.isEmpty { break }
      }
    }
    return kept.isEmpty ? nil : .group(context, kept)
  }

  /// Returns all worlds that the documentation allows after a step.
  func performing(_ step: Laws.Step) -> [Laws.Possibility] {
    var next = Laws.Possibility(world: self)
    let context = step.context
    let root = root(of: context)
    switch step {
    case .set, .assign, .insert, .insertAgain, .delete, .group:
      next.world.operate(in: context) { next.outcome = $0.edit(step) }
    case .undo: next.world.undo(in: context)
    case .redo:
      let contests = contests(ofRedoIn: context)
      next.world.redo(in: context)
      return contesting(contests, in: context, next)
    case .policy(_, let policy): next.world.contexts[context].policy = policy
    case .discard:
      next.world.discard(in: context)
      return ending(root, next, surely: context == root)
    case .save:
      next.outcome = next.world.save(context)
      return ending(
        root, next, surely: context == root && next.outcome.failures.isEmpty,
        hasSaved: context == root)
    case .saveAll:
      next.outcome = next.world.saveAll(context)
      return afterSaveAll(next, from: context)
    case .merge, .refresh:
      next.world.merge(contexts[root].waiting, in: root)
      next.world.contexts[root].mail = Laws.Mail()
    case .slice(_, let limit):
      return slices(root, limit)
    }
    next.world.readNewRows()
    return [next]
  }

  private mutating func edit(_ step: Laws.Step) -> Outcome {
    switch step {
    case .set(let context, let id, let property, let value):
      set(id, property, Mine(value: value), in: context)
    case .assign(let context, let id, let row): assign(id, row, in: context)
    case .insert(let context, let id, let row): insert(id, row, in: context)
    case .insertAgain(let context, let id):
      if let row = contexts[context].drafts[id] { insert(id, row, in: context) }
    case .delete(let context, let id):
      if !delete(id, in: context) { return Outcome(failures: [.denied]) }
    case .group(let context, let steps):
      for step in steps where step.context == context && allows(step) {
        let outcome = edit(step)
        tellChildren(of: context)
        if !outcome.failures.isEmpty { return outcome }
      }
    default: break
    }
    return Outcome()
  }

  /// Returns the worlds that the documentation allows after a save or discard. The documentation
  /// does not say whether the root's moment ends. It also does not say whether a save that throws
  /// updates the context with the rows that it has compared.
  private func ending(
    _ root: Int, _ next: Laws.Possibility, surely: Bool, hasSaved: Bool = false
  ) -> [Laws.Possibility] {
    var learned = next
    if !next.outcome.failures.isEmpty, hasSaved {
      learned.world.learnFromFailure(next.world.clashes(in: root), in: root)
    }
    return [next, learned].flatMap { next -> [Laws.Possibility] in
      var ended = next
      ended.world.contexts[root].view = ended.world.store
      return surely ? [ended] : [ended, next]
    }.map { next in
      var next = next
      next.world.readNewRows()
      return next
    }
  }

  /// Returns the worlds that the documentation allows after a save up to the store. It may also have
  /// merged some of the objects that are changed in its contexts.
  private func afterSaveAll(_ next: Laws.Possibility, from context: Int) -> [Laws.Possibility] {
    let root = root(of: context)
    let isSaved = next.outcome.failures.isEmpty
    let world = isSaved ? next.world : self
    var changed: Set<ID> = []
    for level in sequence(first: context, next: { contexts[$0].parent }) {
      changed.formUnion(contexts[level].edits.keys)
    }
    let relevant = changed.filter { world.contexts[root].taken[$0] != world.store[$0] }
      .sorted().prefix(6)
    return (0..<(1 << relevant.count)).flatMap { bits in
      var merged = next
      merged.world = world
      let chosen = relevant.indices.filter { bits >> $0 & 1 == 1 }.map { relevant[$0] }
      if !chosen.isEmpty { merged.world.merge(Set(chosen), in: root) }
      return ending(root, merged, surely: isSaved, hasSaved: isSaved)
    }
  }

  /// Returns the worlds after all possible slices of a merge, because the documentation does not
  /// say which rows a slice has.
  private func slices(_ root: Int, _ limit: Int) -> [Laws.Possibility] {
    let relevant = relevant(root).sorted()
    var found: [Laws.Possibility] = []
    for bits in 0..<(1 << min(relevant.count, 10)) {
      let chosen = relevant.indices.filter { bits >> $0 & 1 == 1 }.map { relevant[$0] }
      guard chosen.count <= limit else { continue }
      let rest = Set(relevant).subtracting(chosen)
      // The rows that are left may also equal the rows that are shown.
      for hasMore in rest.isEmpty ? [true, false] : [true] {
        var next = Laws.Possibility(world: self, hasMore: hasMore)
        next.world.merge(contexts[root].waiting.subtracting(rest), in: root)
        next.world.contexts[root].mail.takeSlice(leavingRows: hasMore)
        next.world.readNewRows()
        found.append(next)
      }
    }
    return found
  }
}

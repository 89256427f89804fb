import ResponderChain

extension RestorationRun {
  /// Decodes all records whose owners are in the tree.
  func decode() {
    engine.prefetch(
      plan.nodes.indices.compactMap { index in
        guard owners[index].progress == .alive, !plan.nodes[index].header.needs.isEmpty,
          let responder = owners[index].responder ?? owners[above(index)].responder
        else { return nil }
        return (plan.nodes[index].id, responder)
      })
    for index in plan.nodes.indices where isStillAlive(index) {
      if let object = owners[index].object, let parent = owners[above(index)].responder {
        engine.decode(object, plan.nodes[index], at: parent)
        continue
      }
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      // Below a parent that was found to be in the tree, no walk is needed.
      guard
        responder === application || index == 0
          || responder.nextResponder === owners[above(index)].responder
          || responder.application === application
      else {
        stop(index, .gone, "It was removed while others were linked.")
        continue
      }
      mark.isDecoded = true
      let facts = engine.facts(of: responder)
      if !owners[index].isNew {
        for property in responder.properties { property.forget() }
      }
      engine.decode(
        facts.hasMethods ? responder as? any StateRestoring : nil, plan.nodes[index],
        at: responder)
    }
    noteCarried()
    for index in plan.nodes.indices where owners[index].progress == .alive {
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      engine.checkOwned(of: responder, mark)
    }
    engine.forgetUnchanged()
  }

  /// Notes which records are kept for later, for the saves to come.
  private func noteCarried() {
    let hasRestored = owners.indices.dropFirst().contains { owners[$0].progress == .alive }
    for index in plan.nodes.indices where owners[index].progress == .carried {
      guard let parent = plan.nodes[index].parent else { continue }
      let id = plan.nodes[index].id
      if owners[parent].progress == .gone {
        stop(index, .gone, nil)
      } else if owners[parent].progress == .alive,
        !engine.carry(id, plan.nodes[index].header, plan.path(index), counts: hasRestored)
      {
        stop(index, .gone, "Nothing has restored it for so long.")
      } else {
        engine.carried[plan.nodes[parent].id, default: []].append(id)
      }
    }
  }

  /// Tells the owners that do not wait that they are restored.
  func finish() {
    // All are found before the first is told, because it may save, which changes the numbers.
    let finished = plan.nodes.indices.compactMap { index -> (any RestorationFinishing)? in
      guard owners[index].progress == .alive, engine.waiting[plan.nodes[index].id] == nil else {
        return nil
      }
      let owner: AnyObject? = owners[index].object ?? owners[index].responder
      return owner as? any RestorationFinishing
    }
    for owner in finished { owner.didFinishRestoring() }
  }
}

import ResponderChain

extension RestorationRun {
  /// Decodes all records that have a responder or object in the tree.
  func decode() {
    engine.prefetch(
      plan.nodes.indices.compactMap { index in
        guard owners[index].progress == .alive, !plan.nodes[index].header.extras.needs.isEmpty,
          let responder = owners[index].responder ?? owners[above(index)].responder
        else { return nil }
        return ReferringRecord(
          record: plan.nodes[index].record, responder: responder, object: owners[index].object,
          needs: plan.nodes[index].header.extras.needs)
      })
    for index in plan.nodes.indices where isStillAlive(index) && !isDeclined(index) {
      enter(index)
      if let added = owners[index].object, let parent = owners[above(index)].responder {
        owners[index].isFinishing = true
        engine.decode(added.object, plan, index, at: parent, added)
        continue
      }
      guard let responder = owners[index].responder, let mark = responder.mark else { continue }
      // If the responder is still below its restored parent, it is in the tree, too. No walk is
      // needed.
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
      owners[index].isFinishing = facts.isFinishing
      if !owners[index].isNew {
        for property in responder.properties { property.forget() }
      }
      engine.decode(facts.restoring?(responder), plan, index, at: responder)
    }
    countLaunches()
  }

  /// Counts this launch for the carried records, and removes the records that were kept for too
  /// long.
  private func countLaunches() {
    let hasRestored = owners.indices.dropFirst().contains { owners[$0].progress == .alive }
    for index in plan.nodes.indices where owners[index].progress == .carried {
      guard let parent = plan.nodes[index].parent else { continue }
      if owners[parent].progress == .gone {
        stop(index, .gone, nil)
      } else if plan.nodes[index].isLeftOut {
        engine.keep(plan.nodes[index].record, plan.nodes[index].header)
      } else if owners[parent].progress == .alive,
        let sentence = engine.countLaunch(
          plan.nodes[index].record, plan.nodes[index].header, pathLine(index),
          counts: hasRestored)
      {
        stop(index, .gone, sentence)
      }
    }
  }

  /// Returns the responders and objects whose `didFinishRestoring()` can now be called. For
  /// responders and objects that wait, it is called when their wait ends.
  func takeFinishedOwners() -> [FinishedOwner] {
    plan.nodes.indices.compactMap { index in
      guard owners[index].isFinishing, owners[index].progress == .alive, !isDeclined(index),
        let mark = owners[index].object?.mark ?? owners[index].responder?.mark
      else { return nil }
      if !engine.waiting.isEmpty, let wait = engine.waiting(of: mark) {
        wait.isToldByRun = false
        return nil
      }
      if let added = owners[index].object {
        return FinishedOwner(added.object as? any RestorationFinishing, mark)
      }
      return FinishedOwner(owners[index].responder as? any RestorationFinishing, mark)
    }
  }
}

import ResponderChain

/// The waiting owners that share one observation, of one context at one responder. Siblings without
/// a value of their own share the observation at their parent, because they inherit the parent's
/// context.
final class WaitGroup {
  private let reference: ResponderReference
  // Exclusivity checking of the next three properties is off for speed (`restore objects`). This is
  // safe because they are plain values and waiting owners, so no access runs code of an app.

  /// The owners that have joined the group, including some that have left it since. An owner
  /// retains its groups, so this list is emptied when the group is no longer used.
  @exclusivity(unchecked) @safe fileprivate var owners: [WaitingOwner] = []
  /// The number of owners that have joined the group and not left it.
  @exclusivity(unchecked) @safe fileprivate var count = 0
  /// Whether the observed responder has found the context at the last lookup.
  @exclusivity(unchecked) @safe fileprivate(set) var isFound: Bool
  fileprivate var observation: ContextObservation?
  fileprivate let key: WaitGroups.GroupKey

  fileprivate init(_ observed: Responder, _ key: WaitGroups.GroupKey, isFound: Bool) {
    reference = ResponderReference(observed)
    self.key = key
    self.isFound = isFound
  }

  /// The observed responder; nil if it no longer exists. It is the parent of the waiting responders
  /// if they inherit the context, and otherwise the waiting responder itself.
  var observed: Responder? { reference.responder }

  /// Removes the entries of owners that have left, and repeated entries.
  fileprivate func removeLeft() {
    var seen: Set<ObjectIdentifier> = []
    var members: [WaitingOwner] = []
    forEachMember {
      if seen.insert(ObjectIdentifier($0)).inserted { members.append($0) }
    }
    owners = members
  }

  /// Calls the closure with each owner that is still in the group. An owner that has left the group
  /// and joined it again may be passed twice.
  func forEachMember(_ body: (WaitingOwner) -> Void) {
    for owner in owners where owner.groups.contains({ $0 === self }) { body(owner) }
  }
}

/// The groups in which an owner waits. The first group needs no array, because most owners have
/// only one group.
struct JoinedGroups {
  private var first: WaitGroup?
  private var others: [WaitGroup] = []

  var isEmpty: Bool { first == nil }

  /// Adds a group.
  mutating func append(_ group: WaitGroup) {
    if first == nil { first = group } else { others.append(group) }
  }

  /// Returns whether at least one group satisfies the closure.
  func contains(_ predicate: (WaitGroup) -> Bool) -> Bool {
    guard let first else { return false }
    return predicate(first) || others.contains(where: predicate)
  }

  /// Calls the closure with each group.
  fileprivate func forEach(_ body: (WaitGroup) -> Void) {
    guard let first else { return }
    body(first)
    others.forEach(body)
  }
}

/// All groups of waiting owners, stored under the observed responder and the name of the context.
struct WaitGroups {
  private var groups: [GroupKey: WaitGroup] = [:]
  /// The group that was joined last. It is remembered because siblings usually join one after the
  /// other.
  private var last: WaitGroup?
  /// The number of groups from which on a new group is added only after the groups of deallocated
  /// responders are removed.
  private var limit = 64

  fileprivate struct GroupKey: Hashable {
    let observed: ObjectIdentifier
    let name: String
  }

  /// Adds a waiting owner to the group for an observed responder and a context. When the responder
  /// finds another context, the engine queues the owners of the group.
  mutating func join(
    _ owner: WaitingOwner, _ observed: Responder, _ name: String,
    _ context: any ContextRegistration, _ engine: Engine
  ) {
    let group = group(observed, name, context, engine)
    // Entries of owners that have left are removed, so that they take little memory.
    if group.owners.count > 2 * group.count + 16 { group.removeLeft() }
    group.owners.append(owner)
    group.count += 1
    owner.groups.append(group)
  }

  private mutating func group(
    _ observed: Responder, _ name: String, _ context: any ContextRegistration, _ engine: Engine
  ) -> WaitGroup {
    if let last, last.observed === observed, last.key.name == name { return last }
    let key = GroupKey(observed: ObjectIdentifier(observed), name: name)
    // A deallocated responder may have had the same address.
    if let known = groups[key], known.observed === observed {
      last = known
      return known
    }
    if groups.count >= limit { removeDead() }
    let group = WaitGroup(observed, key, isFound: context.isFound(at: observed))
    group.observation = context.observeFirst(observed) { [weak group, weak engine] observed in
      guard let group else { return }
      group.isFound = context.isFound(at: observed)
      engine?.queue(group)
    }
    groups.updateValue(group, forKey: key)?.owners = []
    last = group
    return group
  }

  /// Removes the groups with observed responders that no longer exist.
  private mutating func removeDead() {
    for group in groups.values where group.observed == nil { group.owners = [] }
    groups = groups.filter { $0.value.observed != nil }
    limit = max(64, groups.count * 2)
  }

  /// Releases all owners, because the engine is deallocated.
  func end() {
    for group in groups.values { group.owners = [] }
  }

  /// Removes an owner from its groups. A group that has no other owners ends its observation.
  mutating func leave(_ owner: WaitingOwner) {
    owner.groups.forEach { leave($0) }
    owner.groups = JoinedGroups()
  }

  private mutating func leave(_ group: WaitGroup) {
    group.count -= 1
    guard group.count == 0 else { return }
    if last === group { last = nil }
    if groups[group.key] === group { groups[group.key] = nil }
    group.observation = nil
  }
}

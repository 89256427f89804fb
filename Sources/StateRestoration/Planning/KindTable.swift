import ResponderChain

/// The kinds of a restoration, which can be looked up by name, by class or by responder.
final class KindTable {
  private let all: [Kind]
  private var names: [String: UInt16] = [:]
  private var types: [ObjectIdentifier: UInt16] = [:]
  /// The name that was looked up last for a record. Remembered because siblings are usually of one
  /// kind. Exclusivity is unchecked for speed (`save` and `restore`) here and below: no access runs
  /// code of an app.
  @exclusivity(unchecked) @safe private var lastName = ""
  @exclusivity(unchecked) @safe private var lastIndex: UInt16 = 0
  /// The facts about classes of responders, as far as they were looked up.
  private var facts: [ObjectIdentifier: ClassFacts] = [:]
  /// The facts that were looked up last.
  @exclusivity(unchecked) @safe
  private var lastFacts: (type: ObjectIdentifier, facts: ClassFacts)?
  /// The names of unregistered kinds that were set as ``Responder/restorationKind``. Each name is
  /// reported once.
  private var unknown: Set<String> = []

  init(_ kinds: [Kind]) {
    all = kinds
    for (index, kind) in kinds.enumerated() {
      for name in [kind.name] + kind.formerNames {
        precondition(names[name] == nil, "The kind \"\(name)\" is registered twice.")
        names[name] = UInt16(index + 1)
      }
      if let type = kind.type, types[type.id] == nil { types[type.id] = UInt16(index + 1) }
    }
  }

  /// Returns the index of the kind with a name, plus one; nil if there is no such kind.
  func index(named name: String) -> UInt16? { names[name] }

  /// Returns the index of the kind of a record, plus one; zero if the record has no registered
  /// kind.
  func index(of header: RecordHeader) -> UInt16 {
    guard header.version > 0 else { return 0 }
    let name = header.kind.isEmpty ? header.identifier : header.kind
    if lastName != name { (lastName, lastIndex) = (name, names[name] ?? 0) }
    return lastIndex
  }

  /// The kind whose index plus one is `index`, which is not zero.
  @inline(__always) subscript(index: UInt16) -> Kind { all[Int(index) - 1] }
}

extension KindTable {
  /// Returns the facts about a responder's class.
  func facts(of responder: Responder) -> ClassFacts {
    let type = type(of: responder)
    let id = ObjectIdentifier(type)
    if let last = lastFacts, last.type == id { return last.facts }
    let found = facts[id] ?? ClassFacts(type, kind: types[id] ?? 0)
    facts[id] = found
    lastFacts = (id, found)
    return found
  }

  /// Returns the index of a responder's kind, plus one; zero if there is none.
  ///
  /// If ``Responder/restorationKind`` is set, only that kind counts. Otherwise the first of these
  /// that exists counts: the kind that made the responder, the kind with the identifier as its
  /// name, the kind of the class.
  func kind(of responder: Responder, _ mark: Mark) -> UInt16 {
    if let name = mark.kindName { return names[name] ?? 0 }
    if mark.kind > 0 { return mark.kind }
    // The identifier of a responder of another class may equal the name of the kind by chance.
    if let named = names[mark.identifier], self[named].type?.includes(responder) != false {
      return named
    }
    return facts(of: responder).kind
  }

  /// Returns the name and version of a kind, as they are written into a responder's record; see
  /// ``RecordHeader/version``.
  func head(of mark: Mark, _ kind: UInt16) -> (name: String, version: Int) {
    guard kind == 0 else { return (self[kind].name, self[kind].version) }
    // The next process may register the kind that code has named.
    if let name = mark.kindName { return (name, 1) }
    return names[mark.identifier] == nil ? ("", 1) : ("", 0)
  }

  /// Returns whether a name is not that of a registered kind, at the first call with that name.
  func isNewUnknown(_ name: String) -> Bool { names[name] == nil && unknown.insert(name).inserted }
}

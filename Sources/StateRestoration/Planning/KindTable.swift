import ResponderChain

/// The kinds of a restoration, which can be looked up by name or by class.
struct KindTable {
  let all: [Kind]
  private let heads: [(name: String, version: Int)]
  private let times: [Kind.RestorationTime]
  private let factories: [(RestorationRequest) throws -> Responder?]
  private var names: [String: UInt16] = [:]
  private var types: [ObjectIdentifier: UInt16] = [:]

  init(_ kinds: [Kind]) {
    all = kinds
    heads = kinds.map { ($0.name, $0.version) }
    times = kinds.map(\.time)
    factories = kinds.map(\.make)
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
    return names[header.kind.isEmpty ? header.identifier : header.kind] ?? 0
  }

  /// Returns the index of the kind of a class, plus one; zero if there is no such kind.
  func index(of type: Responder.Type) -> UInt16 { types[ObjectIdentifier(type)] ?? 0 }

  /// Returns the archived name and version of a kind. `index` is the index of the kind plus one. If
  /// `index` is zero, there is no kind, and the name is empty.
  func head(_ index: UInt16) -> (name: String, version: Int) {
    index == 0 ? ("", 1) : heads[Int(index) - 1]
  }

  /// Returns the version of a kind. `index` is the index of the kind plus one, and must not be
  /// zero.
  func version(_ index: UInt16) -> Int { heads[Int(index) - 1].version }

  /// Returns the time at which a kind's responders are restored. `index` is the index of the kind
  /// plus one, and must not be zero.
  func time(_ index: UInt16) -> Kind.RestorationTime { times[Int(index) - 1] }

  /// Returns the responder that a kind's factory returns; nil if the factory refuses the record.
  /// `index` is the index of the kind plus one, and must not be zero.
  func responder(_ index: UInt16, for request: RestorationRequest) throws -> Responder? {
    try factories[Int(index) - 1](request)
  }

  /// The kind whose index plus one is `index`; nil if `index` is zero.
  subscript(index: UInt16) -> Kind? { index == 0 ? nil : all[Int(index) - 1] }
}

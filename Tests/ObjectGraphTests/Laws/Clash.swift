extension Laws {
  /// The conflict of one object in a save.
  struct Clash: Hashable {
    let id: ID
    /// The properties in conflict; empty if one side deleted the object.
    let properties: [Property]
    let base: Row
    /// The values in the saving context; nil if the object is deleted there.
    let mine: Row?
    /// The values in the parent or the store; nil if the object is deleted there.
    let theirs: Row?
  }

  /// A policy's decision about a conflict.
  enum Decision: Hashable {
    case mine, theirs
    case value(Row)
  }

  /// Decides a conflict by the object's number and values alone. The oracle and the closures of
  /// random programs share this function.
  static func decide(_ clash: Clash) -> Decision {
    let sides = [clash.mine, clash.theirs].compactMap { $0 }
    let values = clash.properties.flatMap { property in sides.map { $0[property] } }
    let sum = values.reduce(clash.id + clash.properties.count) { $0 &* 3 &+ $1 }
    switch (sum % 3, clash.theirs ?? clash.mine) {
    case (0, _), (_, nil): return .mine
    case (1, _): return .theirs
    case (_, let row?):
      let mine = clash.properties.contains(.points) ? clash.mine?.cells[0] ?? 1 : 1
      return .value(row.with(.points, (row[.points] + mine) % 3))
    }
  }

  /// A reason why a step can fail.
  enum Failure: String, Hashable {
    case conflict, dangling, idTaken, denied, refused
  }

  /// The outcome that the laws allow for a step.
  struct Outcome: Hashable {
    /// The possible failures, of which the step must have one. The set is empty if the step must
    /// succeed.
    var failures: Set<Failure> = []
    /// The properties in conflict, stored under the numbers of their objects. The dictionary is
    /// empty unless the failure is a conflict.
    var reported: [ID: [Property]] = [:]
    /// The conflicts for which a policy's closure must be called; nil if they are not compared.
    var asked: Set<Clash>?
  }
}

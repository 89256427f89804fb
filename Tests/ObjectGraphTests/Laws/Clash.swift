extension Laws {
  /// One conflict of a save.
  struct Clash: Hashable {
    let id: ID
    /// Empty if one side deleted the object.
    let properties: [Property]
    let base: Row
    /// This context's values; nil if it deleted the object.
    let mine: Row?
    /// Nil if above deleted the object.
    let theirs: Row?
  }

  /// The end of a conflict.
  enum Decision: Hashable {
    case mine, theirs
    case value(Row)
  }

  /// Decides as the random programs' closures do, by the object and its values alone.
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

  /// Why a step failed, as a name.
  enum Failure: String, Hashable {
    case conflict, dangling, idTaken, denied, refused
  }

  /// The outcome of a step.
  struct Outcome: Hashable {
    /// Empty if it succeeds; one of these otherwise.
    var failures: Set<Failure> = []
    /// The objects and properties that an error names, if it is a conflict.
    var reported: [ID: [Property]] = [:]
    /// The conflicts about which a closure was asked; nil if it does not matter.
    var asked: Set<Clash>?
  }
}

extension Laws {
  /// The conflict policy of a context.
  enum Policy: Int, CaseIterable {
    case error, mine, theirs
    /// A policy whose closure decides by the object's number and values.
    case resolve
    /// A policy whose closure throws.
    case refuse
  }

  /// One step of a random program. Contexts 0 and 1 are roots, 2 is a child of 0, and 3 is a child
  /// of 2.
  indirect enum Step: Hashable {
    case set(Int, ID, Property, Int)
    case assign(Int, ID, Row)
    case insert(Int, ID, Row)
    case insertAgain(Int, ID)
    case delete(Int, ID)
    case group(Int, [Step])
    case undo(Int)
    case redo(Int)
    case discard(Int)
    case save(Int)
    case saveAll(Int)
    case merge(Int)
    case slice(Int, Int)
    case refresh(Int)
    case policy(Int, Policy)

    /// The number of the context that performs the step.
    var context: Int {
      switch self {
      case .set(let context, _, _, _), .assign(let context, _, _), .insert(let context, _, _),
        .insertAgain(let context, _), .delete(let context, _), .group(let context, _),
        .undo(let context), .redo(let context), .discard(let context), .save(let context),
        .saveAll(let context), .merge(let context), .slice(let context, _),
        .refresh(let context), .policy(let context, _):
        context
      }
    }
  }

  /// The state in which a random program begins.
  struct Setting: Hashable {
    /// The rows of the store. The first row belongs to object 1.
    var rows: [Row]
    /// Whether the program retains all objects. Otherwise only edits and lists retain objects.
    var holdsAll: Bool
    /// For each context, whether it records undo.
    var recordsUndo: [Bool]
    /// For each context, the indices of its lists' requests.
    var lists: [[Int]]
  }

  /// A random program: the state in which it begins, and its steps.
  struct Program: Hashable {
    var setting: Setting
    var steps: [Step]
  }
}

// MARK: - As text

extension Laws {
  static let contextNames = ["a", "b", "c", "d"]

  static func text(_ property: Property, _ value: Int) -> String {
    switch property {
    case .points: "\(value)"
    case .name: names[value].map { "\"\($0)\"" } ?? "nil"
    case .team, .leads, .friend: value == 0 ? "nil" : "object\(value)"
    }
  }

  static func text(_ row: Row?) -> String {
    guard let row else { return "nothing" }
    return (row.isTeam ? "Team(" : "Person(")
      + row.properties.filter { row[$0] != 0 || $0 == .points }
      .map { "\($0): \(text($0, row[$0]))" }.joined(separator: ", ") + ")"
  }
}

extension Laws.Step {
  /// The step as Swift code, in which `object3` is the context's object with the number 3.
  var text: String {
    let name = Laws.contextNames[context]
    return switch self {
    case .set(_, let id, let property, let value):
      "\(name).object\(id).\(property) = \(Laws.text(property, value))"
    case .assign(_, let id, let row): "\(name).object\(id).value = \(Laws.text(row))"
    case .insert(_, let id, let row): "let object\(id) = try \(name).insert(\(Laws.text(row)))"
    case .insertAgain(_, let id): "try \(name).insert(object\(id))"
    case .delete(_, let id): "try \(name).delete(object\(id))"
    case .group(_, let steps):
      "\(name).group { " + steps.map(\.text).joined(separator: "; ") + " }"
    case .undo: "\(name).undo()"
    case .redo: "\(name).redo()"
    case .discard: "\(name).discard()"
    case .save: "try \(name).save()"
    case .saveAll: "try \(name).saveAll()"
    case .merge: "try \(name).merge()"
    case .slice(_, let limit): "try \(name).merge(upTo: \(limit))"
    case .refresh: "try \(name).refresh()"
    case .policy(_, let policy): "\(name).conflictPolicy = .\(policy)"
    }
  }
}

extension Laws.Program: CustomStringConvertible {
  var description: String {
    var lines = ["// two roots a and b; c = a.makeChild(); d = c.makeChild()"]
    for (index, row) in setting.rows.enumerated() {
      lines.append("let object\(index + 1) = \(Laws.text(row))  // in the store")
    }
    lines.append(
      setting.holdsAll ? "// all objects are kept" : "// objects are kept only by edits and lists")
    for (index, name) in Laws.contextNames.enumerated() {
      if setting.recordsUndo[index] { lines.append("\(name).recordsUndo = true") }
      for list in setting.lists[index] {
        lines.append("let list = LiveList(\(Laws.requests[list].text), in: \(name))")
      }
    }
    return (lines + steps.map(\.text)).joined(separator: "\n")
  }
}

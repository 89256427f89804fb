extension Laws {
  /// A property of a person; a team has the first only.
  enum Property: Int, CaseIterable {
    case points, name, team, leads, friend

    var isReference: Bool { self == .team || self == .leads || self == .friend }

    /// The rule for the person when the object that it refers to is deleted.
    enum Rule { case cascade, deny, nullify }

    var rule: Rule? {
      switch self {
      case .points, .name: nil
      case .team: .cascade
      case .leads: .deny
      case .friend: .nullify
      }
    }
  }

  /// The values of one object as plain numbers: points, a name's number, the numbers of objects.
  /// Nil is 0.
  struct Row: Hashable {
    var cells: [Int]

    /// Makes a person without a name and references.
    static func person(_ points: Int = 0) -> Row { Row(cells: [points, 0, 0, 0, 0]) }
    static func team(_ points: Int = 0) -> Row { Row(cells: [points]) }

    var isTeam: Bool { cells.count == 1 }

    var properties: ArraySlice<Property> { Property.allCases[..<cells.count] }

    subscript(_ property: Property) -> Int {
      get { cells[property.rawValue] }
      set { cells[property.rawValue] = newValue }
    }

    func with(_ property: Property, _ value: Int) -> Row {
      var row = self
      row[property] = value
      return row
    }
  }

  /// The names of persons by their numbers.
  static let names: [String?] = [nil, "a", "b"]
}

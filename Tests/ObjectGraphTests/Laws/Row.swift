extension Laws {
  /// A property of a person. A team has only `points`.
  enum Property: Int, CaseIterable {
    case points, name, team, leads, friend

    var isReference: Bool { self == .team || self == .leads || self == .friend }

    /// The rule for a person when the object to which the property refers is deleted.
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

  /// The values of one object as numbers. A name is its index in ``names``, a reference is the
  /// number of the object, and nil is 0.
  struct Row: Hashable {
    var cells: [Int]

    /// Returns the row of a person that has no name and no references.
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

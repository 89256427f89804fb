import ObjectGraph

// What the laws of an edit are tried on: persons and teams, with each delete rule once.

/// The laws of an edit, as slow and obvious code over plain values, and random programs that compare
/// the library with it. It was written from the documentation alone.
enum Laws {
  /// The number of an object: objects are numbered from 1 in the order of their making.
  typealias ID = Int
}

extension Laws {
  /// A person with few points, so that equal changes are frequent.
  struct Person: Entity {
    var points = 0
    var name: String?
    var team: Ref<Team>?
    var leads: Ref<Team>?
    var friend: Ref<Person>?
    var admirers: Many<Person> { Many(\.friend) }

    static let schema = Schema<Person>("Person") {
      Attribute("points", \.points)
      Attribute("name", \.name)
      ToOne("team", \.team)
      ToOne("leads", \.leads)
      ToOne("friend", \.friend)
      ToMany("admirers", \.admirers, onDelete: .nullify)
    }
  }

  /// A team takes its members with it, and cannot go while somebody leads it.
  struct Team: Entity {
    var points = 0
    var members: Many<Person> { Many(\.team) }
    var leaders: Many<Person> { Many(\.leads) }

    static let schema = Schema<Team>("Team") {
      Attribute("points", \.points)
      ToMany("members", \.members, onDelete: .cascade)
      ToMany("leaders", \.leaders, onDelete: .deny)
    }
  }
}

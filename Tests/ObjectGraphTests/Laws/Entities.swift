import ObjectGraph

// The laws of an edit are tested with persons and teams. Each delete rule occurs once.

/// The laws of an edit, as slow and obvious code over plain values. Random programs compare the
/// library with this code, which was written from the documentation alone.
enum Laws {
  /// The number of an object. Objects are numbered from 1 in the order of their creation.
  typealias ID = Int
}

extension Laws {
  /// A person. The points have few different values, so two contexts often set equal ones.
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

  /// A team. Its deletion also deletes its members. The deletion is denied if the team has a leader
  /// who is not deleted with it.
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

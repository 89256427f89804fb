package import Foundation
package import ObjectGraph

/// A small entity for tests of lists. Its properties have the kinds that lists sort by: text,
/// number, optional, decimal and relation.
package struct Note: Entity {
  package var text = ""
  package var weight = 0
  package var mood: String?
  package var price: Decimal?
  package var topic: Ref<Topic>?
  package var next: Ref<Note>?
  package var previous: Many<Note> { Many(\.next) }

  package init() {}

  package init(_ text: String, weight: Int = 0, mood: String? = nil, topic: Ref<Topic>? = nil) {
    self.text = text
    self.weight = weight
    self.mood = mood
    self.topic = topic
  }

  package static let schema = Schema<Note>("Note") {
    Attribute("text", \.text)
    Attribute("weight", \.weight, indexed: true)
    Attribute("mood", \.mood, indexed: true)
    Attribute("price", \.price)
    ToOne("topic", \.topic)
    ToOne("next", \.next)
    ToMany("previous", \.previous)
  }
}

/// A topic, to which notes refer.
package struct Topic: Entity {
  package var name = ""
  package var notes: Many<Note> { Many(\.topic) }

  package init() {}

  package init(_ name: String) { self.name = name }

  package static let schema = Schema<Topic>("Topic") {
    Attribute("name", \.name)
    ToMany("notes", \.notes)
  }
}

import Lineage

extension Player: Entity {
  static let schema = Schema<Player>("Player") {
    Attribute("name", \.name)
    Attribute("team", \.team, indexed: true)
    Attribute("score", \.score)
    Attribute("notes", \.notes)
    Attribute("updatedAt", \.updatedAt)
  }
}

extension Object: PlayerHolder where Value == Player {
  var player: Player { value }
}

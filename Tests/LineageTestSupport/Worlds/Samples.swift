package import Foundation
package import ObjectGraph

/// An entity for tests of filters and stores, with a plain and an optional attribute of each kind.
///
/// A test fails if this type lacks a kind.
package struct Sample: Entity {
  package enum Mood: String, CaseIterable, Sendable { case calm, merry, süß }
  package enum Rank: Int, CaseIterable, Sendable { case low = -1, none, high }

  package var flag = false
  package var number = 0
  package var small: Int8 = 0
  package var short: Int16 = 0
  package var medium: Int32 = 0
  package var long: Int64 = 0
  package var size: UInt = 0
  package var byte: UInt8 = 0
  package var word: UInt16 = 0
  package var wide: UInt32 = 0
  package var huge: UInt64 = 0
  package var score: Double = 0
  package var ratio: Float = 0
  package var price: Decimal = 0
  package var text = ""
  package var bytes = Data()
  package var time = Date(timeIntervalSinceReferenceDate: 0)
  package var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  package var link = URL(filePath: "/")
  package var mood = Mood.calm
  package var maybeFlag: Bool?
  package var maybeNumber: Int?
  package var maybeSmall: Int8?
  package var maybeShort: Int16?
  package var maybeMedium: Int32?
  package var maybeLong: Int64?
  package var maybeSize: UInt?
  package var maybeByte: UInt8?
  package var maybeWord: UInt16?
  package var maybeWide: UInt32?
  package var maybeHuge: UInt64?
  package var maybeScore: Double?
  package var maybeRatio: Float?
  package var maybePrice: Decimal?
  package var maybeText: String?
  package var maybeBytes: Data?
  package var maybeTime: Date?
  package var maybeToken: UUID?
  package var maybeLink: URL?
  package var maybeRank: Rank?
  package var maybeTags: [String]?
  package var group: Ref<Group>?
  package var friend: Ref<Sample>?
  package var friends: Many<Sample> { Many(\.friend) }

  package init() {}

  package static let schema = Schema<Sample>("Sample") {
    Attribute("flag", \.flag)
    Attribute("number", \.number)
    Attribute("small", \.small)
    Attribute("short", \.short)
    Attribute("medium", \.medium)
    Attribute("long", \.long)
    Attribute("size", \.size)
    Attribute("byte", \.byte)
    Attribute("word", \.word)
    Attribute("wide", \.wide)
    Attribute("huge", \.huge)
    Attribute("score", \.score)
    Attribute("ratio", \.ratio)
    Attribute("price", \.price, indexed: true)
    Attribute("text", \.text)
    Attribute("bytes", \.bytes)
    Attribute("time", \.time)
    Attribute("token", \.token)
    Attribute("link", \.link)
    Attribute("mood", \.mood)
    Attribute("maybeFlag", \.maybeFlag)
    Attribute("maybeNumber", \.maybeNumber, indexed: true)
    Attribute("maybeSmall", \.maybeSmall)
    Attribute("maybeShort", \.maybeShort)
    Attribute("maybeMedium", \.maybeMedium)
    Attribute("maybeLong", \.maybeLong)
    Attribute("maybeSize", \.maybeSize)
    Attribute("maybeByte", \.maybeByte)
    Attribute("maybeWord", \.maybeWord)
    Attribute("maybeWide", \.maybeWide)
    Attribute("maybeHuge", \.maybeHuge)
    Attribute("maybeScore", \.maybeScore)
    Attribute("maybeRatio", \.maybeRatio)
    Attribute("maybePrice", \.maybePrice)
    Attribute("maybeText", \.maybeText)
    Attribute("maybeBytes", \.maybeBytes)
    Attribute("maybeTime", \.maybeTime)
    Attribute("maybeToken", \.maybeToken)
    Attribute("maybeLink", \.maybeLink)
    Attribute("maybeRank", \.maybeRank)
    Attribute("maybeTags", json: \.maybeTags)
    ToOne("group", \.group)
    ToOne("friend", \.friend)
    ToMany("friends", \.friends)
  }
}

/// A group of samples.
package struct Group: Entity {
  package var name = ""
  package var weight: Int?
  package var leader: Ref<Sample>?
  package var members: Many<Sample> { Many(\.group) }

  package init() {}

  package static let schema = Schema<Group>("Group") {
    Attribute("name", \.name)
    Attribute("weight", \.weight)
    ToOne("leader", \.leader)
    ToMany("members", \.members)
  }
}

/// A badge. Its name and its code are unique among all badges.
package struct Badge: Entity {
  package var name = ""
  package var code: Int?

  package init(_ name: String, code: Int? = nil) {
    self.name = name
    self.code = code
  }

  package init() {}

  package static let schema = Schema<Badge>("Badge") {
    Attribute("name", \.name, unique: true)
    Attribute("code", \.code, unique: true)
  }
}

/// A seat. Its row and its number are unique together, and so is its code. Its note is never in
/// conflict.
package struct Seat: Entity, Equatable {
  package var row = ""
  package var number: Int?
  package var code: Int?
  package var price = 0
  package var note = ""

  package init(
    _ row: String, _ number: Int?, code: Int? = nil, price: Int = 0, note: String = ""
  ) {
    (self.row, self.number, self.code, self.price, self.note) = (row, number, code, price, note)
  }

  package init() {}

  package static let schema = Schema<Seat>("Seat") {
    Attribute("row", \.row)
    Attribute("number", \.number)
    Unique(\.row, \.number)
    Attribute("code", \.code, unique: true)
    Attribute("price", \.price)
    Attribute("note", \.note, onConflict: .mine)
    Index(\.row, \.price)
  }
}

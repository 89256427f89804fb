import ObjectGraph

/// A type of 16 bytes that claims the form of a type with 8 bytes.
struct Forged: AttributeValue, Codable {
  var text = ""
  static var attributeForm: AttributeForm { Int.attributeForm }
}

/// A type of one byte that claims the form of a type with 16 bytes.
struct SmallForged: AttributeValue {
  var number: Int8 = 0
  static var attributeForm: AttributeForm { String.attributeForm }
}

/// A type that claims to be optional.
struct AbsentForged: AttributeValue {
  var number = 0
  static var attributeForm: AttributeForm { Int?.attributeForm }
}

struct ForgedWrapper: RawRepresentable, Sendable {
  var rawValue = Forged()
}

struct Forgeries: Entity {
  var plain = Forged()
  var optional: Forged?
  var raw = ForgedWrapper()
  var rawOptional: ForgedWrapper?
  var small = SmallForged()
  var absent = AbsentForged()
  var json = Forged()
  var honest: Int?
  var link: Ref<Forgeries>?

  static let schema = Schema<Forgeries>("Forgeries") {
    Attribute("plain", \.plain)
    Attribute("optional", \.optional)
    Attribute("raw", \.raw)
    Attribute("rawOptional", \.rawOptional)
    Attribute("small", \.small)
    Attribute("absent", \.absent)
    Attribute("json", json: \.json)
    Attribute("honest", \.honest)
    ToOne("link", \.link)
  }
}

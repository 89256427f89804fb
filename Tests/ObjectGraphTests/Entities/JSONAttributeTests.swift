import LineageTestSupport
import ObjectGraph
import Testing

/// Tests of attributes that are stored as JSON. Equal values may have different texts, so the
/// values are compared and not the texts.
@Suite("Attributes that are kept as JSON")
struct JSONAttributeTests {
  /// Creates a store with one saved object. The encoder writes the object's set in another order
  /// each time.
  private func tagged(
    _ stores: Stores, _ tags: Set<String>
  ) async throws -> (OpenStore, Ref<Tagged>) {
    let opened = try await stores.open([Tagged.self])
    let context = opened.makeContext()
    let id = try context.insert(Tagged(tags: tags)).id
    try context.save()
    return (opened, id)
  }

  @Test("An edit of a small set is no conflict with itself", arguments: Stores.all)
  func small(_ stores: Stores) async throws {
    let (opened, id) = try await tagged(stores, ["one", "two", "three"])
    for _ in 0..<20 {
      let context = opened.makeContext()
      let mine = try context.object(with: id)
      mine.tags.formSymmetricDifference(["four"])
      #expect(throws: Never.self) { try context.save() }
      context.discard()
    }
  }

  @Test("A set that was larger once is edited and deleted like any", arguments: Stores.all)
  func large(_ stores: Stores) async throws {
    var tags = Set<String>(minimumCapacity: 1000)
    for number in 0..<20 { tags.insert("t\(number)") }
    let (opened, id) = try await tagged(stores, tags)
    let second = opened.makeContext()
    let mine = try second.object(with: id)
    #expect(mine.tags == tags)
    mine.tags.insert("new")
    try second.save()
    let third = opened.makeContext()
    try third.delete(try third.object(with: id))
    try third.save()
  }

  @Test("A set is changed here while another property changes there", arguments: Stores.all)
  func otherProperty(_ stores: Stores) async throws {
    let opened = try await stores.open([Tagged.self])
    let first = opened.makeContext()
    let object = try first.insert(Tagged(tags: Set((0..<10).map { "t\($0)" })))
    try first.save()
    let other = opened.makeContext()
    try other.object(with: object.id).name = "theirs"
    try other.save()
    object.tags.insert("mine")
    try first.merge()
    #expect(throws: Never.self) { try first.save() }
    first.discard()
  }

  @Test("A value that is encoded as null is a value", arguments: Stores.all)
  func null(_ stores: Stores) async throws {
    let context = try await stores.open([Loose.self]).makeContext()
    let one = try context.insert(Loose())
    #expect(throws: Never.self) { try context.save() }
    one.json = .number(2)
    #expect(throws: Never.self) { try context.save() }
  }
}

private struct Tagged: Entity {
  var name = ""
  var tags: Set<String> = []

  static let schema = Schema<Tagged>("Tagged") {
    Attribute("name", \.name)
    Attribute("tags", json: \.tags)
  }
}

private struct Loose: Entity {
  enum JSON: Codable, Sendable {
    case null
    case number(Int)

    init(from decoder: any Decoder) throws {
      let box = try decoder.singleValueContainer()
      self = box.decodeNil() ? .null : .number(try box.decode(Int.self))
    }

    func encode(to encoder: any Encoder) throws {
      var box = encoder.singleValueContainer()
      switch self {
      case .null: try box.encodeNil()
      case .number(let number): try box.encode(number)
      }
    }
  }

  var json = JSON.null

  static let schema = Schema<Loose>("Loose") { Attribute("json", json: \.json) }
}

import LineageTestSupport
import ObjectGraph

/// A small entity that most tests store.
struct Item: Entity, Equatable {
  var name = ""
  var count = 0
  var box: Ref<Box>?

  static let schema = Schema<Item>("Item") {
    Attribute("name", \.name, unique: true)
    Attribute("count", \.count, indexed: true)
    ToOne("box", \.box)
  }
}

/// A box of items.
struct Box: Entity, Equatable {
  var label = ""
  var items: Many<Item> { Many(\.box) }

  static let schema = Schema<Box>("Box") {
    Attribute("label", \.label)
    ToMany("items", \.items)
  }
}

extension ObjectStore {
  /// Inserts items with the given ids. Their names are `i1`, `i2` … with the id as the number.
  func insert(_ ids: ClosedRange<Int>, in box: Ref<Box>? = nil) throws {
    try commit(
      ids.map {
        .insert(Ref(key: Int64($0)), Item(name: "i\($0)", count: $0, box: box), in: model)
      }, from: nil)
  }

  /// Sets the count of an item that ``insert(_:in:)`` inserted.
  func setCount(_ id: Int, from old: Int, to new: Int) throws {
    try commit(
      [
        .update(
          Ref(key: Int64(id)), ["count"], from: Item(name: "i\(id)", count: old),
          to: Item(name: "i\(id)", count: new), in: model)
      ], from: nil)
  }

  /// Returns the stored values of an item; nil if the store has no such item.
  func item(_ id: Int) throws -> Item? {
    try makeReader().value(Ref<Item>(key: Int64(id)), in: model)
  }

  /// Returns the number of items in the store.
  func itemCount() throws -> Int {
    guard let entity = model.index(named: "Item") else { return -1 }
    let reader = try makeReader()
    defer { reader.end() }
    return try reader.ids(Query(entity: entity)).count
  }
}

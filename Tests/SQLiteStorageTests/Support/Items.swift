import LineageTestSupport
import ObjectGraph

/// A small entity: what is stored in most tests.
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
  /// Inserts items with the names `i1`, `i2` … and these ids.
  func insert(_ ids: ClosedRange<Int>, in box: Ref<Box>? = nil) throws {
    try commit(
      ids.map {
        .insert(Ref(key: Int64($0)), Item(name: "i\($0)", count: $0, box: box), in: model)
      }, from: nil)
  }

  /// Sets the count of an item that `insert` made.
  func setCount(_ id: Int, from old: Int, to new: Int) throws {
    try commit(
      [
        .update(
          Ref(key: Int64(id)), ["count"], from: Item(name: "i\(id)", count: old),
          to: Item(name: "i\(id)", count: new), in: model)
      ], from: nil)
  }

  /// Returns the item as the store has it now.
  func item(_ id: Int) throws -> Item? {
    try makeReader().value(Ref<Item>(key: Int64(id)), in: model)
  }

  /// Returns the number of items in the store now.
  func itemCount() throws -> Int {
    guard let entity = model.index(named: "Item") else { return -1 }
    let reader = try makeReader()
    defer { reader.end() }
    return try reader.ids(Query(entity: entity)).count
  }
}

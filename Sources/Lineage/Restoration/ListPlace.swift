public import ObjectGraph
public import StateRestoration

/// The place of a row in a list: the row's object, its index, and the objects beside it. It is restored
/// with its index before the store is open, and finds its row again in a list that has changed.
///
/// ```swift
/// @Restorable("selection") var selection = ListPlace<Card>()
///
/// selection = ListPlace(at: 3, in: list)
/// selection.follow(list)  // after a change of the list
/// ```
///
/// While the store is closed, the place has only its ``index``.
public struct ListPlace<Value: Entity> {
  /// The index of the row in the list in which the place was found last.
  public let index: Int
  /// The object of the row; nil before the store is open, and if the list has no rows.
  public let object: Object<Value>?
  /// The object of the row after this one.
  private let next: Object<Value>?
  /// The object of the row before this one.
  private let previous: Object<Value>?

  /// Creates a place with only an index.
  public init(index: Int = 0) {
    self.init(index, nil, next: nil, previous: nil)
  }

  /// Creates the place of a row of a list. If the list has too few rows, it is the place of the last
  /// one.
  ///
  /// - Complexity: O(1).
  public init(at index: Int, in list: LiveList<Value>) {
    let rows = 0..<list.count
    let index = max(0, min(index, rows.upperBound - 1))
    func object(_ index: Int) -> Object<Value>? { rows.contains(index) ? list[index] : nil }
    self.init(index, object(index), next: object(index + 1), previous: object(index - 1))
  }

  private init(
    _ index: Int, _ object: Object<Value>?, next: Object<Value>?, previous: Object<Value>?
  ) {
    (self.index, self.object, self.next, self.previous) = (index, object, next, previous)
  }

  /// Returns the index of the place in a list. It is the index of the first one that the list has: the
  /// object, the object after it, the object before it. If the list has none of them, it is the former
  /// index, or that of the last row. It is nil if the list is empty.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  public func index(in list: LiveList<Value>) -> Int? {
    if list.isEmpty { return nil }
    for case let object? in [object, next, previous] {
      if let found = list.position(of: object) { return found }
    }
    return max(0, min(index, list.count - 1))
  }

  /// Makes this the place in a list at which ``index(in:)`` finds it. In an empty list, the place has
  /// no object, but is found again when the rows are back. While a list loads its rows elsewhere, a
  /// place that it does not have yet stays as it is, and so does a place outside of a windowed list.
  ///
  /// - Complexity: O(*n*) for *n* rows.
  public mutating func follow(_ list: LiveList<Value>) {
    if !list.isComplete || list is WindowedList<Value> {
      let anchor = object ?? next ?? previous
      let isThere = anchor.map { list.position(of: $0) != nil } ?? list.indices.contains(index)
      guard isThere else { return }
    }
    if let found = index(in: list) {
      self = ListPlace(at: found, in: list)
    } else {
      self = ListPlace(index, nil, next: object ?? next, previous: previous)
    }
  }
}

/// Two places are equal if they have the same index and the same objects.
extension ListPlace: Equatable {}

extension ListPlace: ContextualValue {
  /// The type of the index.
  public typealias Early = Int

  /// Returns a place with only an index, which is there before the store is open.
  public static func standIn(for index: Int) -> ListPlace? { ListPlace(index: index) }

  /// Writes the index, and the URIs of the objects.
  ///
  /// - Throws: an error if an object cannot be archived.
  public func write(to writer: inout ValueWriter) throws {
    try writer.writeEarly(index) { writer in
      try writer.writeArray(count: 3) { writer in
        for object in [object, next, previous] {
          // A new object that was discarded is in no context any more.
          try (object?.context == nil ? nil : object).write(to: &writer)
        }
      }
    }
  }

  /// Reads the index and the objects. An archived object alone is read as the place of its row, and so
  /// is the position of a list that was scrolled, which older versions have archived.
  public static func read(from reader: inout ValueReader) throws -> ListPlace {
    try reader.readEarly { index, reader in
      guard try reader.peekTag() == .array else {
        return ListPlace(index ?? 0, try Optional.read(from: &reader), next: nil, previous: nil)
      }
      let objects = try reader.readArray { reader -> Object<Value>? in
        // The second element of an older position is the offset of its row.
        if try reader.peekTag() == .double {
          _ = try Double.read(from: &reader)
          return nil
        }
        return try Optional.read(from: &reader)
      }
      guard (2...3).contains(objects.count) else {
        throw StateError(.refused("an array of \(objects.count)", type: "ListPlace"))
      }
      return ListPlace(
        index ?? 0, objects[0], next: objects[1], previous: objects.count > 2 ? objects[2] : nil)
    }
  }
}

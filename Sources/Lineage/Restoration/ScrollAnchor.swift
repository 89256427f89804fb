public import ObjectGraph
public import StateRestoration

/// The position to which a list is scrolled. It consists of the object of the first visible row,
/// and of the length of the row's part that is scrolled out of view.
///
/// ```swift
/// @Restorable("scroll") var scroll: ScrollAnchor<Card>?
/// ```
///
/// The object is archived, not the index of its row. So the list shows the same object after a
/// restart, even if its rows have another order or other sections then. If the object was deleted
/// meanwhile, the property is nil, and the report of the restoration says so.
public struct ScrollAnchor<Value: Entity> {
  /// The object of the first visible row.
  public let object: Object<Value>
  /// The length of the part of the first visible row that is scrolled out of view, in the unit of
  /// the view.
  public let offset: Double

  /// Creates a position from the object of the first visible row, and from the length of the row's
  /// part that is scrolled out of view.
  public init(at object: Object<Value>, offset: Double = 0) {
    self.object = object
    self.offset = offset
  }
}

extension ScrollAnchor: ContextualValue {
  /// Writes the object's URI and the offset.
  ///
  /// - Throws: an error if the object cannot be archived.
  public func write(to writer: inout ValueWriter) throws {
    try writer.writeArray(count: 2) { writer in
      try object.write(to: &writer)
      offset.write(to: &writer)
    }
  }

  /// Reads the object's URI and the offset, and returns the position. The object comes from the
  /// context that the reader provides.
  public static func read(from reader: inout ValueReader) throws -> ScrollAnchor {
    var object: Object<Value>?
    let offsets = try reader.readArray { reader in
      if object != nil { return try Double.read(from: &reader) }
      object = try Object.read(from: &reader)
      return 0
    }
    guard let object, offsets.count == 2 else {
      throw StateError(.refused("an array of \(offsets.count)", type: "ScrollAnchor"))
    }
    return ScrollAnchor(at: object, offset: offsets[1])
  }
}

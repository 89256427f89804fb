public import ObjectGraph
public import StateRestoration

/// The place to which a list is scrolled: the object of the first visible row, and the part of this
/// row that is beyond the edge.
///
/// ```swift
/// @Restorable("scroll") var scroll: ScrollAnchor<Card>?
/// ```
///
/// The object is archived, not its row. So the place is the same after a restart, even if the rows
/// have another order or other sections then. If the object was deleted meanwhile, the property is
/// nil, and the report of the restoration says so.
public struct ScrollAnchor<Value: Entity> {
  /// The object of the first visible row.
  public let object: Object<Value>
  /// The length of the part of the row that is beyond the edge, in the unit of the view.
  public let offset: Double

  /// Creates a place in a list from the object of the first visible row.
  public init(at object: Object<Value>, offset: Double = 0) {
    self.object = object
    self.offset = offset
  }
}

extension ScrollAnchor: ContextualValue {
  /// Writes the object's URI and the offset.
  ///
  /// - Throws: the error of an object that cannot be archived.
  public func write(to writer: inout ValueWriter) throws {
    try writer.writeArray { writer, count in
      try object.write(to: &writer)
      writer.write(offset)
      count = 2
    }
  }

  /// Finds the object in the context, and reads the offset.
  public static func read(from reader: inout ValueReader) throws -> ScrollAnchor {
    var object: Object<Value>?
    let offsets = try reader.readArray { reader in
      if object != nil { return try reader.readDouble() }
      object = try Object.read(from: &reader)
      return 0
    }
    guard let object, offsets.count == 2 else {
      throw StateError(.refused("an array of \(offsets.count)", type: "ScrollAnchor"))
    }
    return ScrollAnchor(at: object, offset: offsets[1])
  }
}

/// An item that a save of changes has written. It becomes part of the archive when the save has
/// ended.
struct SavedItem {
  /// A part of the archive that an item replaces.
  enum Part {
    /// A record, with the set of its values that methods have used.
    case record(UsedValues)
    /// The list of the records below a record.
    case children
  }

  /// The number of the record.
  let id: UInt32
  let part: Part
  /// The position of the item's payload in the bytes that are being written.
  let place: Range<Int>
}

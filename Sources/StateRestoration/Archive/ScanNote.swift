/// A save or a fault that the scan of an archive has found. Positions count from the archive's
/// first byte.
enum ScanNote {
  /// A complete save, with the range of the commit that ends it.
  case save(commit: Range<Int>)
  /// An item of the archive's first save that does not match its checksum. The scan goes on after
  /// the item.
  case changed(Range<Int>)
  /// An item of an unknown type. The scan goes on after the item.
  case unknown(Range<Int>)
  /// An item whose record number is too large. The scan goes on after the item.
  case misnumbered(Range<Int>)
  /// The position at which the scan ends before the end of the bytes, and the reason.
  case end(at: Int, EndReason)

  /// A reason why a scan ends before the end of the bytes.
  enum EndReason {
    /// The bytes end within an item, or the item's length was changed.
    case cut
    /// An item after the first save does not match its checksum.
    case changed
    /// The number of items in a commit differs from the number of items that were found.
    case miscounted
    /// The last items are not followed by a commit.
    case uncommitted
  }
}

/// The responders and objects with values that wait for a context, by the numbers of their records.
///
/// Numbers are dense, so an array finds an owner faster than a dictionary. It is empty until the
/// first owner waits.
struct WaitingOwners {
  private var owners: [WaitingOwner?] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// All waiting owners, ordered by the numbers of their records.
  var all: [WaitingOwner] { isEmpty ? [] : owners.compactMap(\.self) }

  /// Returns the owner of a record; nil if the record has none that waits.
  subscript(record: UInt32) -> WaitingOwner? {
    Int(record) < owners.count ? owners[Int(record)] : nil
  }

  /// Replaces the owner of a record.
  ///
  /// - Returns: the owner that the record had before. The caller releases it, because its deinit
  ///   may run code of an app, which must not be during this change.
  @discardableResult
  mutating func replace(_ record: UInt32, by owner: WaitingOwner?) -> WaitingOwner? {
    let place = Int(record)
    guard place < owners.count || owner != nil else { return nil }
    while owners.count <= place { owners.append(nil) }
    let old = owners[place]
    owners[place] = owner
    count += (owner == nil ? 0 : 1) - (old == nil ? 0 : 1)
    return old
  }
}

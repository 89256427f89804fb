/// The responders and objects that have values waiting for a context, stored under the numbers of
/// their records.
///
/// The numbers of records are dense, so they are the indices of an array. The array is empty until
/// the first owner waits.
struct WaitingOwners {
  private var owners: [WaitingOwner?] = []
  private var count = 0

  var isEmpty: Bool { count == 0 }

  /// All waiting owners, ordered by the numbers of their records.
  var all: [WaitingOwner] { isEmpty ? [] : owners.compactMap(\.self) }

  /// The waiting owner of a record; nil if there is none.
  subscript(record: UInt32) -> WaitingOwner? {
    Int(record) < owners.count ? owners[Int(record)] : nil
  }

  /// Replaces the owner of a record.
  ///
  /// - Returns: the owner that the record had before. It is returned so that its deinit, which may
  ///   run code of an app, runs after this change.
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

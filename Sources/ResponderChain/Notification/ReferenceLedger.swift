import CLineageRuntime

/// Counts the references to what many observers hear one after another.
///
/// Each observer keeps what it last heard, and most of a run hear the same and have heard the same.
/// An atomic count for each took half of the time of a notification; here they are taken, and given
/// back, many at a time.
struct ReferenceLedger: ~Copyable {
  private struct Entry {
    var object: UnsafeMutableRawPointer
    var count: UInt32
  }

  /// References that were taken and that nobody has yet.
  private var credit: Entry?
  /// How many are taken at once next time: those for all, as long as all hear the same.
  private var grant: UInt32
  /// References that nobody has any more, not yet given back.
  private var debt: Entry?

  /// A ledger for so many observers, who will probably hear the same.
  init(expecting count: Int) {
    grant = UInt32(min(max(count, 1), 256))
  }

  /// Takes a reference to the object.
  @inline(__always)
  mutating func retain(_ object: Unmanaged<AnyObject>) {
    let object = object.toOpaque()
    if let entry = credit, entry.object == object, entry.count > 0 {
      credit = Entry(object: object, count: entry.count - 1)
    } else {
      take(object)
    }
  }

  private mutating func take(_ object: UnsafeMutableRawPointer) {
    if let credit { grant = credit.object == object ? min(grant * 2, 256) : 1 }
    giveBackCredit()
    _ = swift_retain_n(object, grant)
    credit = Entry(object: object, count: grant - 1)
  }

  /// Gives a reference back, at the latest when the ledger is closed.
  @inline(__always)
  mutating func release(_ object: Unmanaged<AnyObject>) {
    let object = object.toOpaque()
    if let entry = debt, entry.object == object, entry.count < 256 {
      debt = Entry(object: object, count: entry.count + 1)
    } else {
      payDebt()
      debt = Entry(object: object, count: 1)
    }
  }

  /// Gives back whatever nobody has.
  mutating func close() {
    giveBackCredit()
    payDebt()
  }

  private mutating func giveBackCredit() {
    guard let entry = credit else { return }
    credit = nil
    if entry.count > 0 { swift_release_n(entry.object, entry.count) }
  }

  /// Nothing of the ledger is in use when an object's end runs code of others.
  private mutating func payDebt() {
    guard let entry = debt else { return }
    debt = nil
    swift_release_n(entry.object, entry.count)
  }
}

import ResponderChain

/// An object that keeps the records of one tree. Marks call its functions, which ``Keeper``
/// overrides.
class RecordKeeper {
  /// The registered contexts.
  final let contexts: ContextTable
  /// The crash guard, which tells the next launch in which record this process has crashed.
  final let crashGuard: StrikePage
  /// The home of the present records.
  private var present: RecordHome?
  /// The number of records that are new in the next archive, for each path. Each path is named by the
  /// id of its first record.
  private var newRecords: (generation: UInt64, counts: [RecordID: Int]) = (0, [:])

  /// Whether responders are being made and decoded.
  var isRestoring: Bool { false }

  init(_ contexts: ContextTable, _ crashGuard: StrikePage) {
    self.contexts = contexts
    self.crashGuard = crashGuard
  }

  /// The home of the present records.
  final var home: RecordHome {
    if let present { return present }
    let made = RecordHome(self)
    present = made
    return made
  }

  /// Makes a new home, in which no responder has a record yet. Records of the old home keep their
  /// values, which records of the new home take.
  final func leaveHome() {
    present?.forgetLast()
    present = nil
    newRecords = (0, [:])
  }

  /// The generation of the archive that the next save makes.
  var nextGeneration: UInt64 { 1 }

  /// Returns the id of a new record below another one.
  final func makeID(_ identifier: String, below parent: RecordID) -> RecordID {
    let generation = nextGeneration
    if newRecords.generation != generation { newRecords = (generation, [:]) }
    let first = parent.below(identifier, generation)
    let count = newRecords.counts[first, default: 0]
    newRecords.counts[first] = count + 1
    return count == 0 ? first : parent.below(identifier, generation, count)
  }

  /// Returns the index, plus one, of the kind of a record; zero if there is no such kind.
  func kind(of record: Record) -> UInt16 { 0 }

  /// Notes that a responder has lost its record, with the values that wait.
  func didLose(_ record: Record) {}

  /// Notes that a property has read its archived value, while a record has strikes.
  func didReadWithStrikes(_ record: Record) {}

  /// Notes that the state may differ from the last archive.
  func noteUnsaved() {}

  /// Notes that a value could not be read.
  func note(_ error: any Error, key: String, of responder: Responder) {}

  /// Notes the reasons why references in a value led to nothing.
  func note(missing: [String], key: String, of responder: Responder) {}

  /// Notes that a slot of a responder, or the value in it, has changed.
  func slotsDidChange(of responder: Responder) {}

  /// Notes that a responder was linked to a parent, or unlinked.
  func linkDidChange(of responder: Responder) {}

  /// Notes that a responder was linked to a parent, and that its `didAttach()` has run.
  func didAttach(_ responder: Responder, _ mark: Mark) {}
}

/// The moves that the random program leaves out, because the library is known to fail at them.
///
/// Each has a disabled test that shows the fault. When that test passes, its flag can go.
enum KnownFaults {
  /// A responder whose context comes while `didDecode` runs is told twice that it is finished.
  static let finishesTwice = true
  /// A present responder whose record has no known kind gets its kind only by the next full save.
  static let keepsOldKind = true
  /// A responder that was there before the launch, without a record, is in full saves only.
  static let forgetsPresent = true
  /// A kind that code has named is not archived if this process has not registered it.
  static let dropsUnknownKind = true
  /// Records below a present responder, whose kind waits until it is attached, are not restored.
  static let keepsBelowPresent = true
  /// A responder that gets a kept record when it is attached is saved with the kind of its class.
  static let forgetsKindOfAttached = true
  /// After a launch with a forged record of the application, a save loses all records.
  static let losesAllBelowDamaged = true
  /// A vetoed record stays in the archive until a full save, or until responders beside it change.
  static let keepsVetoed = true
  /// A full save without a detached responder forgets its unread values, and which kind made it.
  static let forgetsDetached = true
  /// Records below a kept one that was restored later are given to new siblings once more.
  static let givesRecordsTwice = true
  /// A slot that code has declared against the archive is in full saves only.
  static let keepsOldSlot = true
}

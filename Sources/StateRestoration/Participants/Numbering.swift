/// The numbers that one archive gives to the records of a tree.
///
/// Each full save and each restoration begins another numbering. A mark retains the one in which
/// its record has a number, so a numbering lives as long as the keeper or a mark uses it.
class Numbering {
  /// The owner of the records; nil when it has ended.
  private(set) weak var keeper: RecordKeeper?

  /// Makes the numbering that the keeper uses from now on.
  final func begin(by keeper: RecordKeeper) { self.keeper = keeper }
}

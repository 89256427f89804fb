/// The numbers that one archive gives to the records of a tree.
///
/// Each full save and each restoration begins another numbering. A mark retains the numbering to
/// which its record's number belongs. So a numbering lives as long as the keeper or a mark uses it.
class Numbering {
  /// The owner of the records; nil when that does not exist any more.
  private(set) weak var keeper: RecordKeeper?

  /// Makes this the numbering of a keeper.
  final func begin(by keeper: RecordKeeper) { self.keeper = keeper }
}

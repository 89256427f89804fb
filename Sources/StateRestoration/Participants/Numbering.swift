/// The numbers that one archive gives to the records of a tree.
///
/// Each full save and each restoration begins another numbering. A mark retains the numbering to
/// which its record's number belongs. So a numbering lives as long as the keeper or a mark uses it.
class Numbering {
  /// The owner of the records; nil after its end, and before ``begin(by:)``.
  private(set) weak var keeper: RecordKeeper?

  /// Makes the keeper the owner of the records. The keeper uses this numbering from then on.
  final func begin(by keeper: RecordKeeper) { self.keeper = keeper }
}

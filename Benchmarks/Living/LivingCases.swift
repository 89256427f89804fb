/// Returns the cases of the living suite. In them, the root context of a tree comes from a store.
///
/// The context arrives late, controllers have branches of it, and lists show its objects.
@MainActor func livingCases(seed: UInt64) -> [BenchmarkCase] {
  let files = SongFiles(seed: seed)
  return ListFollowUp.cases(files)
    + BranchDelivery.cases(seed: seed)
    + BackgroundImport.cases(files)
    + FirstPage.cases(files)
    + OpenAndDeliver.cases(files)
}

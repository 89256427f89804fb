/// Returns the cases of the living suite, in which a tree's root context comes from a store.
///
/// The context arrives late, is branched, and is followed by lists.
@MainActor func livingCases(seed: UInt64) -> [BenchmarkCase] {
  let files = SongFiles(seed: seed)
  return ListFollowUp.cases(files)
    + BranchDelivery.cases(seed: seed)
    + BackgroundImport.cases(files)
    + OpenAndDeliver.cases(files)
}

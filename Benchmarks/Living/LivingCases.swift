/// A tree whose root context comes from a store: it arrives, is branched, and lists follow it.
@MainActor func livingCases(seed: UInt64) -> [BenchmarkCase] {
  let files = SongFiles(seed: seed)
  return ListFollowUp.cases(files)
    + BranchDelivery.cases(seed: seed)
    + BackgroundImport.cases(files)
    + OpenAndDeliver.cases(files)
}

/// A tree whose root context comes from a store: it arrives, is branched, and lists follow it.
@MainActor func livingCases(seed: UInt64, effort: Effort) -> [BenchmarkCase] {
  let files = SongFiles(seed: seed)
  return ListFollowUp.cases(files)
    + BranchDelivery.cases(seed: seed)
    + BackgroundImport.cases(files, effort)
    + OpenAndDeliver.cases(files)
}

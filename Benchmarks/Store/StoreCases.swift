/// Returns the cases of the store suite, which compare the library with C calls written by hand.
///
/// The cases fetch, change and save players in a file. A quick run measures the cases with fewer
/// rows, and reports the other cases as skipped.
@MainActor func storeCases(seed: UInt64, effort: Effort) -> [BenchmarkCase] {
  let full = [(100_000, Effort.standard)]
  let sizes = effort == .quick ? [(10_000, .quick)] + full : full
  return sizes.flatMap { rows, effort in
    let fixtures = Fixtures(rows: rows, seed: seed, hasBars: effort == .standard)
    let cases: [any StoreCase.Type] = [
      Insert.self, FetchObjects.self, FetchValues.self, ByID.self, UnindexedFilter.self,
      IndexedFilter.self, SQLRows.self, Update.self, SingleSaves.self, Open.self,
      Release.self,
    ]
    return cases.map { $0.benchmark(fixtures, effort) }
      + [FoldedOrder.benchmark(fixtures, effort).leftOutByDefault()]
      + [Upsert.benchmark(fixtures, effort), Links.benchmark(fixtures, effort)]
      + LineageCase.all.map { $0.benchmark(fixtures, effort) }
  }
}

/// Players in a file: fetched, changed and saved, beside C calls written by hand.
@MainActor func storeCases(seed: UInt64) -> [BenchmarkCase] {
  let sizes = [(10_000, Effort.quick), (100_000, .standard)]
  return sizes.flatMap { rows, effort in
    let fixtures = Fixtures(rows: rows, seed: seed)
    let cases: [any StoreCase.Type] = [
      Insert.self, FetchObjects.self, FetchValues.self, ByID.self, UnindexedFilter.self,
      IndexedFilter.self, Update.self, SingleSaves.self, Open.self, Release.self,
    ]
    return cases.map { $0.benchmark(fixtures, effort) }
      + LineageCase.all.map { $0.benchmark(fixtures, effort) }
  }
}

/// Returns the cases of the suite of stores on a PostgreSQL server, which compare the library with libpq
/// written by hand. There are none if the program has no libpq, or if there is no server.
///
/// A quick run measures the cases with fewer rows, and reports the other cases as skipped.
@MainActor func postgresCases(seed: UInt64, effort: Effort) -> [BenchmarkCase] {
  guard PostgresSuite.absence == nil else { return [] }
  #if Postgres
  let full = [(10_000, Effort.standard), (100_000, .full)]
  let sizes = effort == .quick ? [(1_000, .quick)] + full : full
  let cases = sizes.flatMap { rows, effort in
    let fixtures = Fixtures(rows: rows, seed: seed, hasBars: effort == .standard)
    return [
      Insert.serverBenchmark(fixtures, effort, atMost: 1.5),
      FetchObjects.serverBenchmark(fixtures, effort, atMost: 1.4),
      FetchValues.serverBenchmark(fixtures, effort, atMost: 1.2),
      ByID.serverBenchmark(fixtures, effort, atMost: 1.25),
      ByIDs.serverBenchmark(fixtures, effort),
      UnindexedFilter.serverBenchmark(
        fixtures, effort, atMost: 1.15,
        because: """
          a third of the difference are the statements with which a moment begins, and the page of a \
          cursor that the server keeps before it sends it; the rest are the context, the request and \
          its objects, where the baseline is one prepared statement whose rows become structs
          """),
      Update.serverBenchmark(fixtures, effort, atMost: 1.3),
      SingleSave.serverBenchmark(fixtures, effort),
      SingleSaveTrips.serverBenchmark(fixtures, effort),
      Begin.serverBenchmark(fixtures, effort),
      BeginTrips.serverBenchmark(fixtures, effort),
    ]
  }
  let few = Fixtures(rows: 1_000, seed: seed, hasBars: true)
  return cases + [Sessions.benchmark(few, .quick)]
  #else
  return []
  #endif
}

/// The needs of the suite of stores on a server.
enum PostgresSuite {
  /// The reason why the suite cannot be measured; nil if it can.
  static var absence: String? {
    #if Postgres
    BenchmarkServer.address == nil ? "LINEAGE_POSTGRES does not name a server" : nil
    #else
    "the program was built without the trait Postgres"
    #endif
  }

  /// The server's settings on which figures depend; nil if there is no server.
  static var settings: [String: String]? {
    get throws {
      #if Postgres
      try BenchmarkServer.settings
      #else
      nil
      #endif
    }
  }
}

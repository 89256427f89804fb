package import Testing

/// Runs a random program for each seed until one fails. Shrinks the failing program and records it
/// as an issue, with its seed.
///
/// The closure `first` makes the program of a seed and runs it. It may leave out the steps after
/// the failing one. The closure `check` runs a shorter program from its first step.
package func checkPrograms<Program: RandomProgram>(
  of seeds: some Sequence<UInt64>, _ name: String = "",
  sourceLocation: SourceLocation = #_sourceLocation,
  first: (UInt64) async throws -> Counterexample<Program>?, check: @escaping Shrinker<Program>.Check
) async throws {
  for seed in seeds {
    guard let found = try await first(seed) else { continue }
    let short = try await Shrinker.shrink(found, check)
    Issue.record(
      "\(name)\(name.isEmpty ? "" : ", ")LINEAGE_SEED=\(seed)\n\(short.program)\n\(short.complaint)",
      sourceLocation: sourceLocation)
    return
  }
}

/// Makes and runs a random program for each seed until one fails. Shrinks the failing program and
/// records it as an issue, with its seed.
package func checkPrograms<Program: RandomProgram>(
  of seeds: some Sequence<UInt64>, _ name: String = "",
  sourceLocation: SourceLocation = #_sourceLocation,
  making make: (UInt64) -> Program, check: @escaping Shrinker<Program>.Check
) async throws {
  try await checkPrograms(
    of: seeds, name, sourceLocation: sourceLocation, first: { try await check(make($0)) },
    check: check)
}

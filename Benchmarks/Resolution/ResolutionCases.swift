/// How a context is found, and what it costs to change it.
///
/// What measures the heap comes first, while the heap is whole.
@MainActor func resolutionCases(seed: UInt64) -> [BenchmarkCase] {
  Memory.cases
    + Build.cases
    + Lookup.cases
    + ColdLookup.cases(seed: seed)
    + Churn.cases(seed: seed)
    + RootReplaced.cases(seed: seed)
    + LateDelivery.cases(seed: seed)
    + LateDeliveryToWaiters.cases(seed: seed)
    + ProviderBetween.cases(seed: seed)
}

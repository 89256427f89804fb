/// Returns the cases of the resolution suite, in which contexts are looked up and changed.
///
/// Cases that measure the heap come first, before the other cases fragment it.
@MainActor func resolutionCases(seed: UInt64) -> [BenchmarkCase] {
  Memory.cases
    + Build.cases
    + Lookup.cases
    + ColdLookup.cases(seed: seed)
    + Churn.cases(seed: seed)
    + RootReplaced.cases(seed: seed)
    + LateDelivery.cases(seed: seed)
    + LateDeliveryToWaiters.cases(seed: seed).map { $0.leftOutByDefault() }
    + ProviderBetween.cases(seed: seed).map { $0.leftOutByDefault() }
}

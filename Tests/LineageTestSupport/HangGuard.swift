package import Testing

extension Trait where Self == TimeLimitTrait {
  /// Ends what hangs, and nothing that is only slow: under a sanitizer, tests of the main actor wait
  /// minutes for each other.
  package static var hangGuard: Self { .timeLimit(.minutes(15)) }
}

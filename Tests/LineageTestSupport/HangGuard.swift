package import Testing

extension Trait where Self == TimeLimitTrait {
  /// A time limit that ends a test that hangs. It is long because tests on the main actor wait
  /// minutes for each other under a sanitizer.
  package static var hangGuard: Self { .timeLimit(.minutes(15)) }
}

/// Returns the number of repetitions that a long random test runs in this build. The argument is
/// the full number.
///
/// A release build, which CI also tests, runs all of them. A debug build is several times slower
/// and runs a quarter. With a sanitizer, a release build runs a quarter and a debug build an
/// eighth.
package func rounds(_ count: Int) -> Int {
  #if DEBUG
  max(1, count / (isSanitized ? 8 : 4))
  #else
  isSanitized ? max(1, count / 4) : count
  #endif
}

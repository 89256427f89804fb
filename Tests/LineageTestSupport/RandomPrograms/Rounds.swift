/// Returns the number of the rounds of a long random test that run in this build.
///
/// All of them run in a release build, whose tests CI runs, too. A debug build, which takes several
/// times as long, runs a quarter; a sanitizer, which looks for something else, half of that.
package func rounds(_ count: Int) -> Int {
  #if DEBUG
    max(1, count / (isSanitized ? 8 : 4))
  #else
    isSanitized ? max(1, count / 4) : count
  #endif
}

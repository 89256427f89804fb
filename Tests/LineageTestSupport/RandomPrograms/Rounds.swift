/// How many of the rounds of a long random test run in this build.
///
/// All of them in a release build, whose tests CI runs, too; a quarter in a debug build, which takes
/// several times as long; half of that under a sanitizer, which looks for something else.
package func rounds(_ count: Int) -> Int {
  #if DEBUG
    max(1, count / (isSanitized ? 8 : 4))
  #else
    isSanitized ? max(1, count / 4) : count
  #endif
}

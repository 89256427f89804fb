/// The read of one value, during which code of the app runs. It has no reference to the guard,
/// because values are read often.
struct GuardedRead {
  private let words: PageWords
  private let word: UInt64
  private let path: UInt64

  /// Remembers what the page says before the read.
  @inline(__always)
  init(_ words: PageWords) {
    self.words = words
    word = words.word
    path = words.path
  }

  /// Ends the read. The page again says what it said before.
  @inline(__always)
  func end() {
    words.path = path
    words.word = word
  }
}

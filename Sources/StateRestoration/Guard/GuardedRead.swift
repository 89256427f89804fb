/// The read of one value, during which code of the app runs. It has no reference to the guard, so
/// that frequent reads need no reference counting.
struct GuardedRead {
  private let words: PageWords
  private let word: UInt64
  private let path: UInt64

  /// Keeps the word and the hash that the page has before the read.
  @inline(__always)
  init(_ words: PageWords) {
    self.words = words
    word = words.word
    path = words.path
  }

  /// Ends the read. The page then has the word and the hash again that it had before the read.
  @inline(__always)
  func end() {
    words.path = path
    words.word = word
  }
}

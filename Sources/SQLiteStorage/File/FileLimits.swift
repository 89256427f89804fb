/// The sizes to which a store keeps its file; tests set others.
package struct FileLimits: Sendable {
  /// The pages in the log after which it is copied into the file.
  package var logPages: Int
  /// The pages at which the disk is full; nil if that is the disk's to say.
  package var maximumPages: Int?

  package init(logPages: Int = 1000, maximumPages: Int? = nil) {
    self.logPages = logPages
    self.maximumPages = maximumPages
  }
}

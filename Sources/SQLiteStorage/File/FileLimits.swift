/// The sizes that a store keeps its file to. Tests set others.
package struct FileLimits: Sendable {
  /// The number of pages in the log from which it is copied into the file.
  package var logPages: Int
  /// The number of pages at which the file counts as full; nil for no limit but the disk's.
  package var maximumPages: Int?

  package init(logPages: Int = 1000, maximumPages: Int? = nil) {
    self.logPages = logPages
    self.maximumPages = maximumPages
  }
}

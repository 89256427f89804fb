/// The limits for the sizes of a store's file and of its log. Only tests set other values than the
/// defaults.
package struct FileLimits: Sendable {
  /// The number of pages in the log at which the log is copied into the file.
  package var logPages: Int
  /// The number of pages at which the file counts as full; nil if only the disk limits it.
  package var maximumPages: Int?

  package init(logPages: Int = 1000, maximumPages: Int? = nil) {
    self.logPages = logPages
    self.maximumPages = maximumPages
  }
}

package import Foundation

/// The options for writing a file.
package struct FileOptions: Sendable {
  /// The file's mode. If it is nil, the file gets the mode of the file that it replaces. A new file
  /// without a mode gets the default mode of the process (its `umask`).
  package var mode: mode_t?
  /// Whether a symbolic link is followed. The new file then replaces the file that the link names.
  /// Otherwise the new file replaces the link. A link that names no file is replaced in both cases.
  package var followsLinks: Bool

  package init(mode: mode_t? = nil, followsLinks: Bool = true) {
    self.mode = mode
    self.followsLinks = followsLinks
  }
}

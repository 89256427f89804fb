package import Foundation

/// The options for writing a file.
package struct FileOptions: Sendable {
  /// The file's mode. If it is nil, the file gets the mode of the file that it replaces. If there
  /// is no such file, the process's mask decides.
  package var mode: mode_t?
  /// Whether a symbolic link stands for the file that it names. If false, the new file replaces the
  /// link. A link that names no file is always replaced.
  package var followsLinks: Bool

  package init(mode: mode_t? = nil, followsLinks: Bool = true) {
    self.mode = mode
    self.followsLinks = followsLinks
  }
}

package import Foundation

/// How a file is written.
package struct FileOptions: Sendable {
  /// The file's mode; nil keeps the mode of the file that is replaced. If there is none, the process's
  /// mask decides then.
  package var mode: mode_t?
  /// Whether a symbolic link stands for the file that it names. Otherwise the file replaces the link,
  /// as it always does where the link names nothing.
  package var followsLinks: Bool

  package init(mode: mode_t? = nil, followsLinks: Bool = true) {
    self.mode = mode
    self.followsLinks = followsLinks
  }
}

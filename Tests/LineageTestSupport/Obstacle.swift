package import Foundation

/// A kind of file that the library must not open like a regular file, such as a pipe, a link or a
/// folder.
package enum Obstacle: String, CaseIterable, Sendable {
  case fifo, link, danglingLink, fifoLink, hardLink, socket, folder, loop

  /// Makes a file of this kind at the URL, and a regular file `victim` in the drawer. The cases
  /// `link` and `hardLink` lead to `victim`.
  package func make(at url: URL, in drawer: Drawer) throws {
    let (victim, path) = (drawer.file("victim"), url.path)
    try Data("precious".utf8).write(to: victim)
    let result =
      switch self {
      case .fifo: mkfifo(path, 0o600)
      case .link: symlink(victim.path, path)
      case .danglingLink: symlink(drawer.file("nowhere").path, path)
      case .fifoLink:
        mkfifo(drawer.file("pipe").path, 0o600) == 0 ? symlink(drawer.file("pipe").path, path) : -1
      case .hardLink: Foundation.link(victim.path, path)
      case .socket: mknod(path, S_IFSOCK | 0o600, 0)
      case .folder: mkdir(path, 0o700)
      case .loop: symlink(path, path)
      }
    guard result == 0 else {
      throw Mishap("\(self) cannot be made at \(path): \(String(cString: strerror(errno)))")
    }
  }
}

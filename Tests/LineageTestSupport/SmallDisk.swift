package import Foundation

/// A small file system in memory. It is mounted as long as this object exists.
package final class SmallDisk {
  private let drawer: Drawer
  /// The root folder of the file system.
  package var url: URL { drawer.file("disk") }

  /// Mounts the file system. The result is nil if this user has no permission to mount.
  package init?(kilobytes: Int) throws {
    drawer = try Drawer()
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    let size = "size=\(kilobytes)k"
    let result = try? ChildProcess.run(
      "/bin/mount", ["-t", "tmpfs", "-o", size, "none", url.path])
    guard result?.status == 0 else { return nil }
  }

  deinit { _ = try? ChildProcess.run("/bin/umount", [url.path]) }

  private var filler: URL { url.appending(path: "filler") }

  /// Writes to the disk until not one more byte can be written.
  package func fill() {
    let file = open(filler.path, O_CREAT | O_WRONLY | O_APPEND, 0o600)
    defer { close(file) }
    for size in [4096, 1] {
      let bytes = [UInt8](repeating: 1, count: size)
      while write(file, bytes, size) == size {}
    }
  }

  /// Removes the file that fills the disk.
  package func empty() { unlink(filler.path) }
}

import Foundation
import ObjectGraph

/// What is done to replace a file, in order; tests make each fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, write, sync, rename, syncDirectory
}

/// A file that appears under its name whole, or not at all.
///
/// It is written next to the old one, as `.name.saving`, and takes its place by a rename once it is
/// on disk. The lock lets one process write at a time; what a killed one left is written over by the
/// next.
final class AtomicFile {
  /// Says which error number a step shall fail with, and 0 for none.
  typealias Probe = (FileStep) -> Int32

  private let target: String
  private let temporary: String
  private let attempted: String
  private let probe: Probe
  private var descriptor: Int32 = -1
  private var isDone = false

  init(replacing url: URL, attempted: String, probe: @escaping Probe = { _ in 0 }) throws {
    guard url.isFileURL else { throw GraphError(attempted, .inputOutput("it is no file's URL")) }
    let place = url.resolvingSymlinksInPath()
    target = place.path(percentEncoded: false)
    temporary =
      place.deletingLastPathComponent()
      .appending(path: ".\(place.lastPathComponent).saving").path(percentEncoded: false)
    self.attempted = attempted
    self.probe = probe
    try perform(.create) {
      descriptor = Self.openLocked(temporary)
      return descriptor
    }
    var old = stat()
    if stat(target, &old) == 0 { _ = fchmod(descriptor, old.st_mode & 0o7777) }
    try perform(.write) { ftruncate(descriptor, 0) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    if !isDone { unlink(temporary) }
    close(descriptor)
  }

  /// Opens the temporary file and locks it, waiting for others who write it.
  private static func openLocked(_ path: String) -> Int32 {
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { return descriptor }
      while flock(descriptor, LOCK_EX) != 0 {
        guard errno == EINTR else {
          let number = errno
          close(descriptor)
          errno = number
          return -1
        }
      }
      // Whoever held the lock has renamed or removed the file.
      var mine = stat()
      var current = stat()
      if fstat(descriptor, &mine) == 0, stat(path, &current) == 0, mine.st_ino == current.st_ino {
        return descriptor
      }
      close(descriptor)
    }
  }

  private func perform(_ step: FileStep, _ call: () -> Int32) throws {
    let injected = probe(step)
    if injected != 0 { throw GraphError(attempted, .file(injected)) }
    while call() < 0 {
      guard errno == EINTR else { throw GraphError(attempted, .file(errno)) }
    }
  }

  /// Writes bytes at a place, counted from the file's start.
  func write(_ bytes: UnsafeRawBufferPointer, at place: Int) throws {
    var done = 0
    while done < bytes.count {
      try perform(.write) {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
        let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(place + done))
        done += max(count, 0)
        return count < 0 ? -1 : 0
      }
    }
  }

  /// Makes the file the one with the name, for good.
  func commit() throws {
    try perform(.sync) { fsync(descriptor) }
    try perform(.rename) { rename(temporary, target) }
    isDone = true
    let folder = URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    try perform(.syncDirectory) {
      let directory = open(folder, O_RDONLY | O_CLOEXEC)
      guard directory >= 0 else { return directory }
      defer { close(directory) }
      return fsync(directory)
    }
  }
}

extension GraphError.Reason {
  /// What an error number of the system means.
  static func file(_ number: Int32) -> Self {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: .full
    default: .inputOutput(String(cString: strerror(number)))
    }
  }
}

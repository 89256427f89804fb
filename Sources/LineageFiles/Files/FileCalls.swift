import Foundation

/// A step of reading, writing or replacing a file. Tests can make each step fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder
  case open, read, map, append, truncate, lock, makeFolder, list, move, remove
  /// The check whether a file system has free space.
  case room

  /// The steps of replacing a file, in their order.
  package static let replacing: [FileStep] = [
    .create, .inspect, .write, .sync, .rename, .syncFolder,
  ]

  /// A function by which tests make a step fail. It returns the error number for the step; zero
  /// lets the system call run as usual.
  package typealias Probe = (FileStep) -> Int32

  /// The verb for the step in an error's text, where the file's path follows it.
  var verb: String {
    switch self {
    case .append: "append to"
    case .makeFolder: "make"
    case .sync, .syncFolder: "sync"
    default: rawValue
    }
  }
}

/// Functions that make system calls for files. The errors that they throw name the step and the
/// file.
struct FileCalls {
  let probe: FileStep.Probe

  /// Returns the error to throw for a step that has failed with an error number.
  func error(_ step: FileStep, _ path: String, _ number: Int32) -> FileError {
    FileError("\(step.verb) \(path)", .system(number))
  }

  /// Makes a system call, and throws if the call fails. If a signal interrupts the call, it is
  /// repeated.
  @discardableResult
  func perform(_ step: FileStep, on path: String, _ call: () -> Int) throws(FileError) -> Int {
    let result = result(of: step, call)
    guard result >= 0 else { throw error(step, path, errno) }
    return result
  }

  /// Makes a system call, and repeats it if a signal interrupts it. If the call fails, returns a
  /// negative number, with `errno` set.
  func result(of step: FileStep, _ call: () -> Int) -> Int {
    while true {
      let injected = probe(step)
      var result = -1
      if injected == 0 { result = call() } else { errno = injected }
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Returns the status of the file at a path; nil if there is no file. For a link, the status is
  /// that of the link itself.
  func status(of path: String) throws(FileError) -> stat? {
    if let status = status({ SystemCalls.linkStatus(at: path) }) { return status }
    guard errno == ENOENT else { throw error(.inspect, path, errno) }
    return nil
  }

  /// Returns the status of an open file. The path is only for the text of errors.
  func status(of descriptor: Int32, at path: String) throws(FileError) -> stat {
    guard let status = status({ SystemCalls.fileStatus(of: descriptor) }) else {
      throw error(.inspect, path, errno)
    }
    return status
  }

  /// Calls the closure, which asks the system for the status of a file, and returns this status. If
  /// the closure fails, returns nil, with `errno` set.
  private func status(_ call: () -> stat?) -> stat? {
    var status: stat?
    _ = result(of: .inspect) {
      status = call()
      return status == nil ? -1 : 0
    }
    return status
  }

  /// Returns the mode of the regular file at a path; nil if there is no file. Throws if there is
  /// something else, such as a folder. If links are not followed, or if a link names no file,
  /// returns nil for the link.
  func regularFile(at path: String, followsLinks: Bool) throws(FileError) -> mode_t? {
    let found = status {
      followsLinks ? SystemCalls.fileStatus(at: path) : SystemCalls.linkStatus(at: path)
    }
    guard let found else {
      // If a part of the path is not a folder, creating the draft will fail.
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw error(.inspect, path, errno)
    }
    if found.isLink { return nil }
    guard found.isRegular else { throw FileError("replace \(path)", .notRegularFile) }
    return found.st_mode & 0o7777
  }
}

/// The identity of a file. It stays the same when the file is renamed or written to.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

extension stat {
  /// Whether this is the status of a regular file. Unlike a FIFO or a device, such a file is opened
  /// without waiting.
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// Whether this is the status of a symbolic link.
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether this is the status of a folder.
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Returns whether both are the status of the same file.
  func isSame(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

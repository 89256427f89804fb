import Foundation

/// A step of reading, writing or replacing a file. Tests can make each step fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder
  case open, read, map, append, truncate, lock, makeFolder, list, move, remove
  /// The question whether a file system has room.
  case room

  /// The steps of replacing a file, in their order.
  package static let replacing: [FileStep] = [
    .create, .inspect, .write, .sync, .rename, .syncFolder,
  ]

  /// A function for tests. It returns the error number with which a step shall fail, or 0 to let
  /// the step succeed.
  package typealias Probe = (FileStep) -> Int32

  /// The verb for the step in the text of an error. The file's name follows the verb.
  var verb: String {
    switch self {
    case .append: "append to"
    case .makeFolder: "make"
    case .sync, .syncFolder: "sync"
    default: rawValue
    }
  }
}

/// The system calls for files. Their errors name the step and the file.
struct FileCalls {
  let probe: FileStep.Probe

  /// Returns the error for a step that has failed with an error number.
  func error(_ step: FileStep, _ path: String, _ number: Int32) -> FileError {
    FileError("\(step.verb) \(path)", .system(number))
  }

  /// Makes a system call, and throws if the call fails. A call that a signal has interrupted is
  /// repeated.
  @discardableResult
  func perform(_ step: FileStep, on path: String, _ call: () -> Int) throws(FileError) -> Int {
    let result = result(of: step, call)
    guard result >= 0 else { throw error(step, path, errno) }
    return result
  }

  /// Makes a system call, and repeats it if a signal has interrupted it. If the call has failed,
  /// the result is negative and `errno` is set.
  func result(of step: FileStep, _ call: () -> Int) -> Int {
    let injected = probe(step)
    guard injected == 0 else {
      errno = injected
      return -1
    }
    while true {
      let result = call()
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

  /// Returns the status of an open file. The path is used for errors only.
  func status(of descriptor: Int32, at path: String) throws(FileError) -> stat {
    guard let status = status({ SystemCalls.fileStatus(of: descriptor) }) else {
      throw error(.inspect, path, errno)
    }
    return status
  }

  /// Returns the status that the closure gets. Returns nil if the closure fails, with `errno` set.
  private func status(_ call: () -> stat?) -> stat? {
    var status: stat?
    _ = result(of: .inspect) {
      status = call()
      return status == nil ? -1 : 0
    }
    return status
  }

  /// Returns the mode of the regular file at a path; nil if there is no file. Throws for anything
  /// else. If links are not followed, a link counts as no file.
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

/// The identity of a file. The file keeps it when it is renamed or written to.
package struct FileIdentity: Equatable, Sendable {
  private let device: UInt64
  private let number: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    number = UInt64(status.st_ino)
  }
}

extension stat {
  /// Whether this is the status of a regular file, so that opening the file never waits.
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// Whether this is the status of a symbolic link.
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether this is the status of a folder.
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Returns whether both are the status of the same file.
  func isSame(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

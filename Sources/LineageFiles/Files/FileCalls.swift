import Foundation

/// A step of replacing a file, in the order of the steps. Tests make each of them fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder

  /// A function that returns the error number with which a step shall fail, or 0 for none.
  package typealias Probe = (FileStep) -> Int32

  /// The verb for the step in an error's text. The file's name follows it.
  var verb: String {
    switch self {
    case .create, .inspect, .write, .rename: rawValue
    case .sync, .syncFolder: "sync"
    }
  }
}

/// The system calls for replacing one file. Their errors name the step and the file.
struct FileCalls {
  let probe: FileStep.Probe

  /// Returns the error for a step that failed with an error number.
  func error(_ step: FileStep, _ path: String, _ number: Int32) -> FileError {
    FileError("\(step.verb) \(path)", .system(number))
  }

  /// Makes a call, repeats it if a signal interrupts it, and throws if it fails.
  @discardableResult
  func perform(_ step: FileStep, on path: String, _ call: () -> Int) throws(FileError) -> Int {
    let result = result(of: step, call)
    guard result >= 0 else { throw error(step, path, errno) }
    return result
  }

  /// Makes a call, and repeats it if a signal interrupts it. The result is negative if the call
  /// failed, with `errno` set.
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

  /// Returns the status of the file at a path, or of the link itself; nil if there is none.
  func status(of path: String) throws(FileError) -> stat? {
    if let status = status({ SystemCalls.linkStatus(at: path) }) { return status }
    guard errno == ENOENT else { throw error(.inspect, path, errno) }
    return nil
  }

  /// Returns the status of an open file, whose path is for errors.
  func status(of descriptor: Int32, at path: String) throws(FileError) -> stat {
    guard let status = status({ SystemCalls.fileStatus(of: descriptor) }) else {
      throw error(.inspect, path, errno)
    }
    return status
  }

  /// Returns the result of a call for a status; nil if it failed, with `errno` set.
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

extension stat {
  /// Whether it is the status of a regular file, which no access has to wait for.
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// Whether it is the status of a symbolic link.
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether it is the status of a folder.
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Returns whether both are the status of one file.
  func isSame(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

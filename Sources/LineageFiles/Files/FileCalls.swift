import Foundation

/// What is done to replace a file, in order; tests make each fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder

  /// Says which error number a step shall fail with, and 0 for none.
  package typealias Probe = (FileStep) -> Int32

  /// The step as an error names it, before the file.
  var verb: String {
    switch self {
    case .create, .inspect, .write, .rename: rawValue
    case .sync, .syncFolder: "sync"
    }
  }
}

/// Calls of the system to replace one file, with failures that name the step and the file.
struct FileCalls {
  let probe: FileStep.Probe

  /// Returns the error of a step that has left an error number.
  func error(_ step: FileStep, _ path: String, _ number: Int32) -> FileError {
    FileError("\(step.verb) \(path)", .system(number))
  }

  /// Makes a call, again if a signal interrupts it, and throws the error that it leaves.
  @discardableResult
  func perform(_ step: FileStep, on path: String, _ call: () -> Int) throws(FileError) -> Int {
    let result = result(of: step, call)
    guard result >= 0 else { throw error(step, path, errno) }
    return result
  }

  /// Makes a call, again if a signal interrupts it; less than zero if it failed, with `errno` set.
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

  /// Returns the status of what has a name, without following a link; nil if nothing has it.
  func status(of path: String) throws(FileError) -> stat? {
    if let status = status({ SystemCalls.linkStatus(at: path) }) { return status }
    guard errno == ENOENT else { throw error(.inspect, path, errno) }
    return nil
  }

  /// Returns the status of a file that is open, and was opened with a name.
  func status(of descriptor: Int32, at path: String) throws(FileError) -> stat {
    guard let status = status({ SystemCalls.fileStatus(of: descriptor) }) else {
      throw error(.inspect, path, errno)
    }
    return status
  }

  /// Returns the status that a call gives; nil if it failed, with `errno` set.
  private func status(_ call: () -> stat?) -> stat? {
    var status: stat?
    _ = result(of: .inspect) {
      status = call()
      return status == nil ? -1 : 0
    }
    return status
  }

  /// Returns the mode of the regular file that has a name, nil if there is no file, and throws for
  /// anything else. Where links are not followed, a link is no file.
  func regularFile(at path: String, followsLinks: Bool) throws(FileError) -> mode_t? {
    let found = status {
      followsLinks ? SystemCalls.fileStatus(at: path) : SystemCalls.linkStatus(at: path)
    }
    guard let found else {
      // A name that ends in a file's is for the creation to refuse.
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw error(.inspect, path, errno)
    }
    if found.isLink { return nil }
    guard found.isRegular else { throw FileError("replace \(path)", .notRegularFile) }
    return found.st_mode & 0o7777
  }
}

extension stat {
  /// Whether it is of a regular file, so that no access waits for another process.
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// Whether it is of a symbolic link.
  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether it is of a folder.
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Whether it is of the same file as another.
  func isSame(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

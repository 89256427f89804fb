import Foundation

/// A step of reading, writing or replacing a file. Tests can make each step fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder
  case open, read, map, lock, makeFolder, list, move, remove
  /// The check whether a file system has free space.
  case room

  /// A function by which tests make a step fail. It returns the error number for the step; zero
  /// lets the system call run as usual.
  package typealias Probe = (FileStep) -> Int32

  /// The verb for the step in an error's text, where the file's path follows it.
  var verb: String {
    switch self {
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
    value(of: step) {
      let result = call()
      return result < 0 ? nil : result
    } ?? -1
  }

  /// Makes a system call that returns nil if it fails, and throws then. If a signal interrupts the
  /// call, it is repeated.
  func value<Value>(
    _ step: FileStep, on path: String, _ call: () -> Value?
  ) throws(FileError) -> Value {
    if let value = value(of: step, call) { return value }
    throw error(step, path, errno)
  }

  /// Makes a system call that returns nil if it fails, and repeats it if a signal interrupts it. If
  /// the call fails, returns nil, with `errno` set.
  private func value<Value>(of step: FileStep, _ call: () -> Value?) -> Value? {
    while true {
      let injected = probe(step)
      if injected != 0 { errno = injected } else if let value = call() { return value }
      if errno != EINTR { return nil }
    }
  }

  /// Returns the status of the file at a path; nil if there is no file. If links are not followed,
  /// the status of a link is that of the link itself.
  func status(of path: String, followsLinks: Bool = false) throws(FileError) -> stat? {
    let status = value(of: .inspect) {
      SystemCalls.fileStatus(at: path, followsLinks: followsLinks)
    }
    guard status == nil, errno != ENOENT, errno != ENOTDIR else { return status }
    throw error(.inspect, path, errno)
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
}

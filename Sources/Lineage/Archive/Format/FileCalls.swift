import Foundation
import ObjectGraph

/// What is done to replace a file, in order; tests make each fail.
package enum FileStep: String, CaseIterable, Codable, Sendable {
  case create, inspect, write, sync, rename, syncFolder
}

/// Calls of the system on behalf of one save, with failures that name what was attempted.
struct FileCalls {
  /// Says which error number a step shall fail with, and 0 for none.
  typealias Probe = (FileStep) -> Int32

  let attempted: String
  private let probe: Probe

  init(attempted: String, probe: @escaping Probe) {
    self.attempted = attempted
    self.probe = probe
  }

  /// Returns the error for an error number.
  func error(_ number: Int32) -> GraphError { GraphError(attempted, .file(number)) }

  /// Makes a call, again if a signal interrupts it, and throws the error that it leaves.
  @discardableResult
  func perform(_ step: FileStep, _ call: () -> Int) throws -> Int {
    let result = result(of: step, call)
    guard result >= 0 else { throw error(errno) }
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
  func status(of path: String) throws -> stat? {
    if let status = status({ SystemCalls.linkStatus(at: path) }) { return status }
    guard errno == ENOENT else { throw error(errno) }
    return nil
  }

  /// Returns the status of an open file.
  func status(of descriptor: Int32) throws -> stat {
    guard let status = status({ SystemCalls.fileStatus(of: descriptor) }) else {
      throw error(errno)
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

  /// Returns the mode of a regular file, nil if there is no file, and throws for anything else.
  func regularFile(at path: String) throws -> mode_t? {
    guard let status = status({ SystemCalls.fileStatus(at: path) }) else {
      // A name that ends in a file's is for the creation to refuse.
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw error(errno)
    }
    guard status.isRegular else {
      throw GraphError(attempted, .notRegularFile)
    }
    return status.st_mode & 0o7777
  }
}

extension stat {
  /// Whether it is of a regular file, so that no access waits for another process.
  var isRegular: Bool { st_mode & S_IFMT == S_IFREG }

  /// Whether it is of the same file as another.
  func isSame(as other: stat) -> Bool { st_ino == other.st_ino && st_dev == other.st_dev }
}

extension GraphError.Reason {
  /// The reason why folders, FIFOs, sockets and devices are refused.
  static var notRegularFile: Self { .inputOutput("it is not a regular file") }

  /// What an error number of the system means.
  static func file(_ number: Int32) -> Self {
    switch number {
    case ENOSPC, EDQUOT, EFBIG: .full
    default: .inputOutput(SystemCalls.message(of: number))
    }
  }
}

import Dispatch
public import Foundation
import LineageFiles
public import ResponderChain
import Synchronization

extension Application {
  /// Returns the lines of a file, at first those of standard input. While the loop waits for a line, it
  /// applies the letters of the mailbox, like `run()`.
  ///
  /// ```swift
  /// for await line in application.lines() {
  ///   if line == "quit" { application.terminate() } else { screen.send(Command(line)) }
  /// }
  /// ```
  ///
  /// The sequence ends with the file, if the file cannot be read, and when the application terminates,
  /// without waiting for tasks of responders. It reads ahead, so the lines of one file need one
  /// sequence, which may have several loops one after the other.
  public final func lines(of file: FileHandle = .standardInput) -> ApplicationLines {
    ApplicationLines(application: self, reader: LineReader(file))
  }
}

/// The lines of a file; see `Application.lines(of:)`.
public struct ApplicationLines: AsyncSequence {
  fileprivate let application: Application
  fileprivate let reader: LineReader

  /// Returns an iterator. All iterators take lines from the same file.
  public func makeAsyncIterator() -> Iterator { Iterator(application: application, reader: reader) }

  /// An iterator, which applies letters while it waits.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let application: Application
    fileprivate let reader: LineReader

    /// Waits for the next line. Returns `nil` at the end of the file, when the application has
    /// terminated, and when the task is cancelled.
    public mutating func next() async -> String? { await next(isolation: #isolation) }

    /// Waits for the next line. The isolation must be that of the tree.
    public mutating func next(isolation: isolated (any Actor)?) async -> String? {
      await application.next(reader)
    }
  }
}

extension Application {
  /// Applies letters until a line was read, and returns it; nil at the end.
  fileprivate final func next(_ reader: LineReader) async -> String? {
    guard phase != .terminated else { return nil }
    // The body of the loop may have changed what is drawn.
    noteTurn()
    var line: LineReader.Answer?
    await applyLetters {
      if phase == .terminated { return true }
      // Another loop may have taken the line.
      line = reader.take { [mailbox] in mailbox.post { _ in } }
      return line != nil
    }
    if case .line(let line)? = line { return line }
    return nil
  }
}

/// A reader of lines, which waits for them on a thread of its own.
private final class LineReader: Sendable {
  enum Answer {
    case line(String)
    case end
  }

  private enum ReaderState {
    case idle
    case reading
    case read(Answer)
  }

  private let file: FileHandle
  private let queue = DispatchQueue(label: "Lineage.lines")
  private let state = Mutex(ReaderState.idle)
  /// The bytes that were read. Only the queue uses them.
  private let bytes = Mutex(ReadBytes())

  init(_ file: FileHandle) { self.file = file }

  /// Returns the line that was read, and the end of the file each time. Otherwise begins to read a line,
  /// and returns nil. The closure is called when it was read.
  func take(_ tell: @escaping @Sendable () -> Void) -> Answer? {
    let (answer, begins) = state.withLock { state -> (Answer?, Bool) in
      switch state {
      case .reading: return (nil, false)
      case .read(.end): return (.end, false)
      case .read(let answer):
        state = .idle
        return (answer, false)
      case .idle:
        state = .reading
        return (nil, true)
      }
    }
    if begins {
      queue.async { [self] in
        let line = bytes.withLock { $0.nextLine(of: file.fileDescriptor) }
        state.withLock { $0 = .read(line.map(Answer.line) ?? .end) }
        tell()
      }
    }
    return answer
  }
}

/// The bytes of a file that were read, of which the first ones were returned as lines.
private struct ReadBytes {
  private var bytes: [UInt8] = []
  /// The position of the next line.
  private var start = 0
  /// The position up to which there is no end of that line.
  private var searched = 0

  /// Returns the next line, without its end; nil at the end of the file. Waits for the file.
  mutating func nextLine(of file: Int32) -> String? {
    while true {
      if let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) { return take(to: end) }
      bytes.removeFirst(start)
      (start, searched) = (0, bytes.count)
      let more = SystemCalls.nextBytes(1 << 16, of: file) ?? []
      if more.isEmpty { return bytes.isEmpty ? nil : take(to: bytes.count) }
      bytes += more
    }
  }

  private mutating func take(to end: Int) -> String {
    let isWindows = end > start && bytes[end - 1] == UInt8(ascii: "\r")
    let line = bytes[start..<(isWindows ? end - 1 : end)]
    start = min(end + 1, bytes.count)
    searched = start
    return String(decoding: line, as: UTF8.self)
  }
}

import Foundation
import ObjectGraph

/// A count of the transactions that were committed to a file's log since the last look.
///
/// SQLite tells a connection that somebody committed, but not how often; whether each commit left an
/// entry in `lineage_log` can only be told by counting. The log's format is documented and stable: a
/// header of 32 bytes, then frames, each a header of 24 bytes and a page. A frame that ends a
/// transaction states the file's size in pages, others state zero. SQLite takes no locks on this
/// file, so that it may be opened and closed beside it.
struct LogTail: ~Copyable {
  private let path: String
  private var file: Int32 = -1
  private var place = LogPosition()

  enum Count: Equatable {
    case commits(Int)
    /// The log began anew, so that what came before is lost.
    case unknown
  }

  init(path: String) { self.path = path }

  deinit { if file >= 0 { close(file) } }

  /// Commits since the place last adopted, and the place behind them.
  mutating func count() -> (Count, LogPosition) {
    guard let header = header() else {
      return place.frames == 0 ? (.commits(0), place) : (.unknown, LogPosition())
    }
    let pageSize = Int(UInt32(bigEndian: header.pageSize))
    var next = place
    var isKnown = true
    if header.salts != place.salts {
      isKnown = place.frames == 0
      next = LogPosition(salts: header.salts)
    } else if place.frames > 0 {
      next.mark = frame(place.frames, pageSize)
      if let mark = place.mark, mark != next.mark {
        isKnown = false
        next.frames = 0
      }
    }
    var commits = 0
    var number = next.frames + 1
    while let frame = frame(number, pageSize), frame.salts == next.salts {
      if frame.endsTransaction {
        commits += 1
        next.frames = number
        next.mark = frame
      }
      number += 1
    }
    return (isKnown ? .commits(commits) : .unknown, next)
  }

  mutating func adopt(_ place: LogPosition) { self.place = place }

  /// Goes behind a frame that this process's own commit ended, which wrote so many pages; nobody
  /// else wrote since the place.
  mutating func skip(to frames: Int, written: Int, pageSize: Int) {
    // A log that began anew has fewer frames than there were and were written.
    if place.frames > 0, frames == place.frames + written {
      place.frames = frames
      place.mark = nil
      return
    }
    if file < 0 { _ = header() }
    guard let mark = frame(frames, pageSize) else { return }
    place = LogPosition(salts: mark.salts, frames: frames, mark: mark)
  }

  private mutating func header() -> LogHeader? {
    if file < 0 {
      file = SystemCalls.openFile(path + "-wal", O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    var header = LogHeader()
    return read(into: &header, at: 0) ? header : nil
  }

  private func frame(_ number: Int, _ pageSize: Int) -> FrameHeader? {
    var header = FrameHeader()
    let offset =
      MemoryLayout<LogHeader>.size
      + (number - 1) * (MemoryLayout<FrameHeader>.size + pageSize)
    return read(into: &header, at: offset) ? header : nil
  }

  private func read<T: BitwiseCopyable>(into value: inout T, at offset: Int) -> Bool {
    file >= 0 && SystemCalls.readValue(&value, from: file, at: offset)
  }
}

/// A place in the log: behind a frame that ended a transaction.
struct LogPosition {
  fileprivate var salts: UInt64?
  fileprivate var frames = 0
  /// That frame's header, which tells whether it was written over; nil until it is looked for.
  fileprivate var mark: FrameHeader?
}

/// The log's first 32 bytes, as they stand in the file.
private struct LogHeader: BitwiseCopyable {
  var magic: UInt32 = 0
  var version: UInt32 = 0
  /// Big-endian.
  var pageSize: UInt32 = 0
  var checkpoint: UInt32 = 0
  /// Others each time that the log begins anew.
  var salts: UInt64 = 0
  var checksums: UInt64 = 0
}

/// The 24 bytes before each page, as they stand in the file.
private struct FrameHeader: BitwiseCopyable, Equatable {
  var page: UInt32 = 0
  /// The file's size in pages after a transaction; zero inside one.
  var size: UInt32 = 0
  /// The salts of the log's header, unless the frame is left over from before.
  var salts: UInt64 = 0
  var checksums: UInt64 = 0

  var endsTransaction: Bool { size != 0 }
}

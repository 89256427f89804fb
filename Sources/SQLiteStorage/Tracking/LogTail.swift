import Foundation
import LineageFiles
import ObjectGraph

/// A position in a file's write-ahead log, from which the commits after it can be counted.
///
/// SQLite tells a connection that there were commits, but not how many. The number is needed to see
/// whether each commit left an entry in `lineage_log`. The log's format is documented and stable: a
/// header of 32 bytes, then frames, each of which is a header of 24 bytes and a page. The last
/// frame of a transaction states the file's size in pages; all others state zero. SQLite sets no
/// locks on the log's file. So opening and closing it here ends no locks.
struct LogTail: ~Copyable {
  private let path: String
  private var file: Int32 = -1
  /// The position from which commits are counted.
  var place = LogPosition()

  init(path: String) { self.path = path }

  deinit { if file >= 0 { close(file) } }

  /// Returns the number of commits since this position, and the position after them. The number is
  /// nil if it is not known, because the log began anew. This position stays as it is.
  mutating func count() -> (Int?, LogPosition) {
    guard let header = header() else {
      return place.frames == 0 ? (0, place) : (nil, LogPosition())
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
    return (isKnown ? commits : nil, next)
  }

  /// Advances this position after a commit of this process. That must be the only commit since the
  /// position was set.
  ///
  /// Usually the log is not read, because `frames`, the number of pages in the log, is the new
  /// position. If the log began anew, the commit's last frame is read.
  mutating func skip(to frames: Int, written: Int, pageSize: Int) {
    // A log that began anew has fewer frames than the sum of the old frames and the written pages.
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

/// A position in the log, directly after the last frame of a transaction.
struct LogPosition {
  fileprivate var salts: UInt64?
  fileprivate var frames = 0
  /// The header of the transaction's last frame; nil until it is read. If the file has another
  /// header there later, the frame was overwritten.
  fileprivate var mark: FrameHeader?
}

/// The header of the log: its first 32 bytes, as in the file.
private struct LogHeader: BitwiseCopyable {
  var magic: UInt32 = 0
  var version: UInt32 = 0
  /// The size of a page in bytes, big-endian.
  var pageSize: UInt32 = 0
  var checkpoint: UInt32 = 0
  /// Random numbers that change each time the log begins anew.
  var salts: UInt64 = 0
  var checksums: UInt64 = 0
}

/// The header of a frame: the 24 bytes before each page, as in the file.
private struct FrameHeader: BitwiseCopyable, Equatable {
  var page: UInt32 = 0
  /// The file's size in pages after the transaction that the frame ends; zero inside a transaction.
  var size: UInt32 = 0
  /// The salts of the log's header, or other salts if the frame is left over from an earlier log.
  var salts: UInt64 = 0
  var checksums: UInt64 = 0

  var endsTransaction: Bool { size != 0 }
}

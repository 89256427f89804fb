import Foundation

/// How many transactions were committed to a file's log since one looked last.
///
/// SQLite tells a connection that somebody committed, but not how often; whether each commit left an
/// entry in `lineage_log` can only be told by counting. The log's format is documented and stable: a
/// header of 32 bytes, then frames, each a header of 24 bytes and a page. A frame that ends a
/// transaction states the file's size in pages, others state zero. SQLite takes no locks on this
/// file, so that it may be opened and closed beside it.
struct LogTail: ~Copyable {
  private let path: String
  private var file: Int32 = -1
  /// A place in the log: behind a frame that ended a transaction.
  private var place = Place()

  struct Place {
    fileprivate var salts: [UInt8] = []
    fileprivate var frames = 0
    /// That frame's header, which tells whether it was written over.
    fileprivate var mark: [UInt8] = []
  }

  enum Count: Equatable {
    case commits(Int)
    /// The log began anew, so that what came before is lost.
    case unknown
  }

  init(path: String) { self.path = path }

  deinit { if file >= 0 { close(file) } }

  /// Commits since the place last adopted, and the place behind them.
  mutating func count() -> (Count, Place) {
    guard let header = header() else {
      return place.frames == 0 ? (.commits(0), place) : (.unknown, Place())
    }
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    var next = place
    var isKnown = true
    var following: [UInt8]?
    if header[16..<24] != place.salts[...] {
      isKnown = place.frames == 0
      next = Place()
      next.salts = Array(header[16..<24])
    } else if place.frames > 0 {
      // The frame that was last, and the header of the next, in one go.
      let length = 24 + pageSize + 24
      let bytes = read(upTo: length, at: Self.offset(place.frames, pageSize))
      if bytes.prefix(24) != place.mark[...] {
        isKnown = false
        next.frames = 0
      } else if bytes.count < length || bytes[(length - 16)..<(length - 8)] != place.salts[...] {
        return (.commits(0), place)
      } else {
        following = Array(bytes[(length - 24)...])
      }
    }
    var commits = 0
    var frame = next.frames
    while let bytes = following ?? read(24, at: Self.offset(frame + 1, pageSize)),
      bytes[8..<16] == next.salts[...]
    {
      following = nil
      frame += 1
      guard bytes[4..<8].contains(where: { $0 != 0 }) else { continue }
      commits += 1
      next.frames = frame
      next.mark = bytes
    }
    return (isKnown ? .commits(commits) : .unknown, next)
  }

  mutating func adopt(_ place: Place) { self.place = place }

  /// Goes behind a frame that this process's own commit ended.
  mutating func skip(to frames: Int, pageSize: Int) {
    if file < 0 { _ = header() }
    guard let mark = read(24, at: Self.offset(frames, pageSize)) else { return }
    place.salts = Array(mark[8..<16])
    place.frames = frames
    place.mark = mark
  }

  private mutating func header() -> [UInt8]? {
    if file < 0 { file = open(path + "-wal", O_RDONLY | O_CLOEXEC) }
    return read(32, at: 0)
  }

  private func read(_ count: Int, at offset: Int) -> [UInt8]? {
    let bytes = read(upTo: count, at: offset)
    return bytes.count == count ? bytes : nil
  }

  private func read(upTo count: Int, at offset: Int) -> [UInt8] {
    guard file >= 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
    }
  }

  private static func offset(_ frame: Int, _ pageSize: Int) -> Int {
    32 + (frame - 1) * (24 + pageSize)
  }
}

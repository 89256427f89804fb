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
    let salts = Array(header[16..<24])
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    var next = place
    var isKnown = true
    if salts != place.salts {
      isKnown = place.frames == 0
      next = Place()
      next.salts = salts
    } else if place.frames > 0, read(24, at: Self.offset(place.frames, pageSize)) != place.mark {
      isKnown = false
      next.frames = 0
    }
    var commits = 0
    var frame = next.frames
    while let bytes = read(24, at: Self.offset(frame + 1, pageSize)), bytes[8..<16] == salts[...] {
      frame += 1
      guard bytes[4..<8].contains(where: { $0 != 0 }) else { continue }
      commits += 1
      next.frames = frame
      next.mark = bytes
    }
    return (isKnown ? .commits(commits) : .unknown, next)
  }

  mutating func adopt(_ place: Place) { self.place = place }

  /// The place behind a frame that this process's own commit ended.
  mutating func placeBehind(_ frames: Int) -> Place? {
    guard let header = header() else { return nil }
    let pageSize = header[8..<12].reduce(0) { $0 << 8 | Int($1) }
    guard let mark = read(24, at: Self.offset(frames, pageSize)) else { return nil }
    var place = Place()
    place.salts = Array(header[16..<24])
    place.frames = frames
    place.mark = mark
    return place
  }

  private mutating func header() -> [UInt8]? {
    if file < 0 { file = open(path + "-wal", O_RDONLY | O_CLOEXEC) }
    return read(32, at: 0)
  }

  private func read(_ count: Int, at offset: Int) -> [UInt8]? {
    guard file >= 0 else { return nil }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      initialized = max(0, pread(file, buffer.baseAddress, count, off_t(offset)))
    }
    return bytes.count == count ? bytes : nil
  }

  private static func offset(_ frame: Int, _ pageSize: Int) -> Int {
    32 + (frame - 1) * (24 + pageSize)
  }
}

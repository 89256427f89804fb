import Foundation
import LineageFiles
import ObjectGraph

/// The facts about a file that an opening finds without SQLite, because SQLite might write to the
/// file.
struct FileCheck {
  /// The device and the inode, which identify a file under any of its paths.
  struct Identity: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64

    init(_ status: stat) {
      device = UInt64(status.st_dev)
      inode = UInt64(status.st_ino)
    }
  }

  enum Finding {
    case missing
    /// The file at the path is not the one that this opening has claimed.
    case other
    case database(FileCheck)
  }

  let isWritable: Bool
  /// Whether the file's log is not empty.
  let hasLog: Bool
  /// Whether the log is not empty although no process has the file open.
  let wasLeft: Bool
  /// Whether the file has a rollback journal although no process has the file open. SQLite would
  /// change the file according to this journal before the first read.
  let hasJournal: Bool

  static func identity(of path: String) -> Identity? {
    SystemCalls.fileStatus(at: path).map(Identity.init)
  }

  /// Examines the file at the path. `claimed` is the file that this opening has claimed there; nil
  /// if it has claimed none. Throws a refusal if it cannot be the file of a store.
  static func look(at path: String, claimed: Identity?) throws -> Finding {
    guard let status = SystemCalls.fileStatus(at: path) else {
      let code = errno
      if code == ENOTDIR { throw Refusal(.missing) }
      guard code == ENOENT else { throw Refusal(failure(path, code)) }
      // SQLite would apply a leftover log to the next file that is made at this path.
      for end in ["-wal", "-journal"] where size(of: path + end) > 0 {
        if SystemCalls.fileStatus(at: path) != nil { return .other }
        throw Refusal(.damaged("there is \(path + end), but not its file"))
      }
      return .missing
    }
    // Opening and closing an unclaimed file would end the locks of a store that may have it open.
    guard Identity(status) == claimed else { return .other }
    let type = status.st_mode & S_IFMT
    if type == S_IFDIR { throw Refusal(.directory) }
    guard type == S_IFREG else { throw Refusal(.notADatabase) }
    guard status.st_size > 0 else { throw Refusal(.empty) }
    // O_NONBLOCK, because a FIFO may lie here by now.
    let file = SystemCalls.openFile(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { throw Refusal(failure(path, errno)) }
    // Closing a descriptor ends all locks that this process has on the file. That is harmless here:
    // the file is claimed, so nothing else in this process has it open through SQLite.
    defer { close(file) }
    let hasLog = size(of: path + "-wal") > 0
    let hasJournal = size(of: path + "-journal") > 0
    let refusal = header(file, path, size: Int(status.st_size), hasLog: hasLog || hasJournal)
    if let refusal { throw Refusal(refusal) }
    let isAlone = (hasLog || hasJournal) && !isInUse(file)
    return .database(
      FileCheck(
        isWritable: SystemCalls.permits(W_OK, at: path), hasLog: hasLog,
        wasLeft: hasLog && isAlone, hasJournal: hasJournal && isAlone))
  }

  /// Returns the opening for an error of the system. The file itself may be undamaged.
  private static func failure(_ path: String, _ code: Int32) -> Opening<Never> {
    let message = SystemCalls.message(of: code)
    if code == EACCES || code == EPERM { return .noPermission(message) }
    return .failed(GraphError("open \(path)", .inputOutput(message)))
  }

  private static func header(
    _ file: Int32, _ path: String, size: Int, hasLog: Bool
  ) -> Opening<Never>? {
    guard let bytes = SystemCalls.bytes(100, of: file, at: 0) else { return failure(path, errno) }
    let count = bytes.count
    let magic = Array("SQLite format 3\0".utf8)
    guard bytes.prefix(16).elementsEqual(magic.prefix(count)) else { return .notADatabase }
    guard count == 100 else {
      return .damaged("only \(count.of("byte")) \(count == 1 ? "is" : "are") left of it")
    }
    func number(_ offset: Int, _ count: Int) -> Int {
      bytes[offset..<(offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    let stated = number(16, 2)
    let pageSize = stated == 1 ? 65_536 : stated
    guard pageSize >= 512, pageSize & (pageSize - 1) == 0, (1...2).contains(bytes[18]),
      (1...2).contains(bytes[19]), bytes[21] == 64, bytes[22] == 32, bytes[23] == 32,
      (1...4).contains(number(44, 4)), number(56, 4) == 1
    else { return .damaged("its header has impossible values") }
    // The header's count of pages is valid only if its two change counters agree. With a log, pages
    // may be missing from the file.
    let pages = number(28, 4)
    if !hasLog, number(24, 4) == number(92, 4), size < pages * pageSize {
      return .damaged("it should have \(pages * pageSize) bytes and has \(size)")
    }
    if size < pageSize { return .damaged("it is shorter than a page") }
    guard number(68, 4) == Int(FormatSQL.applicationID) else {
      return hasLog && number(68, 4) == 0 ? nil : .notAStore
    }
    return nil
  }

  /// Returns whether another process has the file open through SQLite. If a file has a log, SQLite
  /// keeps the file locked as long as the file is open.
  private static func isInUse(_ file: Int32) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = 0x4000_0000
    lock.l_len = 512
    return SystemCalls.obstacle(to: lock, on: file).map { $0.l_type != Int16(F_UNLCK) } ?? false
  }

  static func size(of path: String) -> Int {
    SystemCalls.fileStatus(at: path).map { Int($0.st_size) } ?? 0
  }
}

import CLineageRuntime
package import Foundation

/// A small file that is mapped into memory. Writing to this memory changes the file without a
/// system call.
///
/// Bytes that were written to the memory are kept even if the process is killed directly
/// afterwards. Only a power cut or a crash of the whole system can lose them.
///
/// If the file system has no space for a changed page, writing to the memory ends the process. So
/// the whole file is written before it is mapped, and a file with holes is written again. Some file
/// systems write each change to another location on the disk. For them, ``canStore()`` checks
/// whether there is space.
///
/// The type is safe because the mapping lives as long as this object, and because no access goes
/// beyond its end.
///
/// If another program cuts the file to no bytes, the next access to the memory ends the process,
/// and no portable call can prevent it. So the file belongs in a private folder, only its owner can
/// open it, and ``isWhole`` tells whether it was cut until now. ``read()`` and ``write(_:at:)`` do
/// not access the memory, and are never fatal.
@safe
package final class MappedPage {
  /// The size of the page and its file in bytes.
  package static let size = 4096
  /// The number of free bytes that ``canStore()`` requires on a file system that writes changes to
  /// another location.
  private static let roomForChanges: UInt64 = 1 << 20

  /// The first byte of the page. It is valid as long as the page is retained.
  package let start: UnsafeMutableRawPointer
  private let descriptor: Int32
  private let overwrites: Bool
  private let calls: FileCalls
  private let path: String
  /// Whether the page has replaced a regular file that was no valid page.
  package let hasReplaced: Bool

  /// Opens a page. If there is no usable file, or if `isValid` returns false for the file's bytes,
  /// makes a page of zeros.
  ///
  /// A page that another user may read or write is replaced by a new file with the same bytes. A
  /// program that has opened the old file cannot change the new one.
  ///
  /// - Throws: a `FileError` if the URL leads to anything else than a regular file, such as a link,
  ///   or if a system call fails.
  package init(
    _ url: URL, probe: @escaping FileStep.Probe = { _ in 0 },
    isValid: ([UInt8]) -> Bool
  ) throws(FileError) {
    guard url.isFileURL else { throw FileError("map \(url)", .notAFile) }
    let path = url.path(percentEncoded: false)
    let calls = FileCalls(probe: probe)
    let known = try Self.content(path, calls)
    let valid = known?.bytes.flatMap { isValid($0) ? $0 : nil }
    hasReplaced = known != nil && valid == nil
    if known?.isSound != true || valid == nil {
      let file = try AtomicFile(
        replacing: url, FileOptions(mode: 0o600, followsLinks: false), probe: probe)
      let bytes = valid ?? [UInt8](repeating: 0, count: Self.size)
      try file.write(bytes.span, at: 0)
      try file.commit()
    }
    let file = Int32(
      try calls.perform(.open, on: path) { Int(SystemCalls.openFile(path, Self.flags)) })
    do throws(FileError) {
      unsafe start = try Self.map(file, path, calls)
    } catch {
      close(file)
      throw error
    }
    descriptor = file
    (self.calls, self.path) = (calls, path)
    overwrites = lineage_overwrites_in_place(descriptor)
  }

  deinit {
    unsafe munmap(start, Self.size)
    close(descriptor)
  }

  private static let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC

  /// Maps an open file into memory, and returns this memory.
  private static func map(
    _ file: Int32, _ path: String, _ calls: FileCalls
  ) throws(FileError) -> UnsafeMutableRawPointer {
    // Another file may have the name by now.
    guard let status = SystemCalls.fileStatus(of: file), status.isRegular,
      status.st_size == size
    else { throw FileError("map \(path)", .notRegularFile) }
    var start: UnsafeMutableRawPointer?
    try calls.perform(.map, on: path) {
      unsafe start = SystemCalls.mapBytes(size, of: file)
      return unsafe start == nil ? -1 : 0
    }
    guard let start = unsafe start else { throw calls.error(.map, path, ENOMEM) }
    return unsafe start
  }

  /// Returns the bytes of the file at a path, and whether the file is sound: it has no holes, and
  /// only its owner can open it. Returns nil if there is no file. A file that is not writable, or has
  /// another size than a page, has no bytes. Throws if the path leads to anything else than a regular
  /// file, such as a link.
  private static func content(
    _ path: String, _ calls: FileCalls
  ) throws(FileError) -> (bytes: [UInt8]?, isSound: Bool)? {
    guard let status = try calls.status(of: path) else { return nil }
    guard status.isRegular else { throw FileError("map \(path)", .notRegularFile) }
    // A file that this process may not write is later replaced by a new one.
    let descriptor = SystemCalls.openFile(path, flags)
    guard descriptor >= 0 else {
      if errno == EACCES || errno == EPERM { return (nil, false) }
      throw FileError("map \(path)", .system(errno))
    }
    defer { close(descriptor) }
    guard let opened = SystemCalls.fileStatus(of: descriptor), opened.isSame(as: status),
      opened.st_size == Self.size
    else { return (nil, false) }
    let isSound = Int(opened.st_blocks) * 512 >= Self.size && opened.st_mode & 0o777 == 0o600
    return (try bytes(of: descriptor, path, calls), isSound)
  }

  /// Returns the bytes of an open file; nil if there are fewer than in a page. A read that returns
  /// only some of the bytes is continued.
  private static func bytes(
    of descriptor: Int32, _ path: String, _ calls: FileCalls
  ) throws(FileError) -> [UInt8]? {
    var buffer = ByteBuffer(capacity: size)
    try buffer.fill(size) { (bytes: inout MutableSpan<UInt8>) throws(FileError) in
      var done = 0
      while done < size {
        let count = try calls.perform(.read, on: path) {
          SystemCalls.readBytes(into: &bytes, from: done, of: descriptor, at: done)
        }
        if count == 0 { break }
        done += count
      }
      return done
    }
    return buffer.count == size ? buffer.bytes(from: 0) : nil
  }

  /// Returns the bytes of the page's file; nil if the file was cut.
  package func read() throws(FileError) -> [UInt8]? {
    try Self.bytes(of: descriptor, path, calls)
  }

  /// Whether the file has the size of a page. If another program has cut it, accesses to the memory
  /// could end the process.
  package var isWhole: Bool {
    SystemCalls.fileStatus(of: descriptor).map { $0.st_size == Self.size } ?? false
  }

  /// Returns whether the file system certainly has space for the next change of the memory.
  package func canStore() -> Bool {
    calls.probe(.room) == 0
      && (overwrites || SystemCalls.hasRoom(Self.roomForChanges, beside: descriptor))
  }

  /// Whether the file has a name. If not, no other process finds the page.
  package var hasName: Bool {
    SystemCalls.fileStatus(of: descriptor).map { $0.st_nlink > 0 } ?? false
  }

  /// Writes bytes at an offset by a system call. If there is no space, this call fails, but
  /// ``store(_:at:)`` would end the process.
  ///
  /// - Returns: whether all bytes were written.
  package func write(_ bytes: [UInt8], at offset: Int) -> Bool {
    precondition(offset >= 0 && offset + bytes.count <= Self.size, "no room for so many bytes")
    return calls.result(of: .write) {
      SystemCalls.writeBytes(bytes.span, from: 0, to: descriptor, at: offset)
    } == bytes.count
  }

  /// The bytes of the page.
  package var bytes: [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: start, count: Self.size))
  }

  /// Writes bytes to the memory at an offset. If the process is killed meanwhile, perhaps only some
  /// of the bytes are written.
  package func store(_ bytes: [UInt8], at offset: Int) {
    precondition(offset >= 0 && offset + bytes.count <= Self.size, "no room for so many bytes")
    unsafe bytes.withUnsafeBytes {
      guard let first = $0.baseAddress else { return }
      unsafe (start + offset).copyMemory(from: first, byteCount: $0.count)
    }
  }
}

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
  private let file: OpenFile
  private let overwrites: Bool
  private let calls: FileCalls
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
    let valid = known.flatMap { $0.bytes.count == Self.size && isValid($0.bytes) ? $0.bytes : nil }
    hasReplaced = known != nil && valid == nil
    if known?.isSound != true || valid == nil {
      let file = try AtomicFile(
        replacing: url, FileOptions(mode: 0o600, followsLinks: false), probe: probe)
      let bytes = valid ?? [UInt8](repeating: 0, count: Self.size)
      try file.write(bytes.span, at: 0)
      try file.commit()
    }
    let file = try OpenFile(path, O_RDWR | O_NOFOLLOW, calls)
    // Another file may have the name by now.
    guard file.length == Self.size else { throw FileError("map \(path)", .notRegularFile) }
    unsafe start = try calls.value(.map, on: path) {
      unsafe SystemCalls.mapBytes(Self.size, of: file.descriptor)
    }
    overwrites = lineage_overwrites_in_place(file.descriptor)
    self.calls = calls
    self.file = file
  }

  deinit { unsafe munmap(start, Self.size) }

  /// Returns the bytes of the file at a path, and whether the file is sound: it has no holes, and
  /// only its owner can open it. Returns nil if there is no file. A file that is not writable, or has
  /// another size than a page, has no bytes. Throws if the path leads to anything else than a regular
  /// file, such as a link.
  private static func content(
    _ path: String, _ calls: FileCalls
  ) throws(FileError) -> (bytes: [UInt8], isSound: Bool)? {
    do throws(FileError) {
      let file = try OpenFile(path, O_RDWR | O_NOFOLLOW, calls)
      let isSound =
        Int(file.status.st_blocks) * 512 >= size && file.status.st_mode & 0o777 == 0o600
      return (file.length == size ? try file.bytes(size, at: 0, calls) : [], isSound)
    } catch {
      switch error.reason {
      case .system(ENOENT), .system(ENOTDIR): return nil
      // A file that this process may not write is later replaced by a new one.
      case .system(EACCES), .system(EPERM): return ([], false)
      default: throw error
      }
    }
  }

  /// Returns the bytes of the page's file; nil if the file was cut.
  package func read() throws(FileError) -> [UInt8]? {
    let bytes = try file.bytes(Self.size, at: 0, calls)
    return bytes.count == Self.size ? bytes : nil
  }

  /// Whether the file has the size of a page. If another program has cut it, accesses to the memory
  /// could end the process.
  package var isWhole: Bool {
    SystemCalls.fileStatus(of: file.descriptor).map { $0.st_size == Self.size } ?? false
  }

  /// Returns whether the file system certainly has space for the next change of the memory.
  package func canStore() -> Bool {
    calls.probe(.room) == 0
      && (overwrites || SystemCalls.hasRoom(Self.roomForChanges, beside: file.descriptor))
  }

  /// Whether the file has a name. If not, no other process finds the page.
  package var hasName: Bool {
    SystemCalls.fileStatus(of: file.descriptor).map { $0.st_nlink > 0 } ?? false
  }

  /// Writes bytes at an offset by a system call. If there is no space, this call fails, but
  /// ``store(_:at:)`` would end the process.
  ///
  /// - Returns: whether all bytes were written.
  package func write(_ bytes: [UInt8], at offset: Int) -> Bool {
    precondition(offset >= 0 && offset + bytes.count <= Self.size, "no room for so many bytes")
    return (try? file.write(bytes.span, at: offset, calls)) != nil
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

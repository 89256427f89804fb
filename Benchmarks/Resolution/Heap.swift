#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The memory that the program has allocated by malloc and not yet freed.
enum Heap {
  static var bytesInUse: Int {
    #if canImport(Glibc)
    return report.map(bytesInUse(in:)) ?? 0
    #elseif canImport(Darwin)
    return Int(mstats().bytes_used)
    #endif
  }

  /// Returns the number of bytes in use, by the totals in glibc's report. It is the memory from the
  /// system minus the memory in free lists.
  static func bytesInUse(in report: String) -> Int {
    // The last line with this beginning has the sum over all arenas.
    func total(_ start: String) -> Int {
      let line = report.split(separator: "\n").last { $0.hasPrefix(start) }
      let size = line?.split(separator: " ").first { $0.hasPrefix("size=") }
      return size.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }
    return total("<system type=\"current\"") + total("<total type=\"mmap\"")
      - total("<total type=\"fast\"") - total("<total type=\"rest\"")
  }

  #if canImport(Glibc)
  private typealias MallocInfo = @convention(c) (CInt, UnsafeMutablePointer<FILE>) -> CInt

  /// The report of `malloc_info`. The function is looked up by name, because it is not in Glibc's
  /// module map, and `mallinfo2` is not there either.
  private static var report: String? {
    guard let symbol = dlsym(nil, "malloc_info") else { return nil }
    var text: UnsafeMutablePointer<CChar>?
    var size = 0
    guard let stream = open_memstream(&text, &size) else { return nil }
    let status = unsafeBitCast(symbol, to: MallocInfo.self)(0, stream)
    fclose(stream)
    defer { free(text) }
    return status == 0 ? text.map { String(cString: $0) } : nil
  }
  #endif
}

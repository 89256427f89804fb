/// The content of a page that a process has left behind, or that a running process uses.
///
/// The article <doc:CrashGuard> has the layout. Each write of the book replaces one copy after the
/// other, so one of them is always whole.
package struct FoundStrikes {
  /// The first sixteen bytes of a page.
  package static let magic = Array("LINGUARD".utf8) + [2, 0, 0, 0, 0, 0, 0, 0]
  static var placeOffset: Int { 16 }
  package static let bookOffsets = [512, 2304]
  package static let bookRoom = 1792

  /// The first book that is not damaged; nil if both are, or if the page is new.
  package let book: StrikeBook?
  /// The place that the page names; nil if it names none, or if the book has counted this end.
  package let lastEnd: StrikePlace?
  /// Whether all ends are known, because a book is whole or the page is new.
  package let isCertain: Bool
  /// The number of the launch that has named the place.
  let launch: UInt64

  /// Reads the bytes of a page; nil if the bytes are not those of a page.
  package init?(_ bytes: [UInt8]) {
    guard Self.isPage(bytes) else { return nil }
    launch = bytes.integer(at: Self.placeOffset + 8)
    book = Self.bookOffsets.lazy.compactMap { StrikeBook(bytes[$0..<$0 + Self.bookRoom]) }.first
    isCertain = book != nil || launch == 0 && bytes[Self.bookOffsets[0]...].allSatisfy { $0 == 0 }
    let place = StrikePlace(bytes.integer(at: Self.placeOffset))
    lastEnd = place == .none || launch != book?.launch ?? launch ? nil : place
  }

  /// Returns whether bytes are those of a page. A new page has only zeros.
  package static func isPage(_ bytes: [UInt8]) -> Bool {
    bytes.count == 4096 && (bytes.starts(with: magic) || bytes.allSatisfy { $0 == 0 })
  }

  /// Returns the format of a page that a newer version has written; nil for any other bytes.
  package static func laterFormat(of bytes: [UInt8]) -> Int? {
    guard bytes.starts(with: magic.prefix(8)), bytes.count > 8, bytes[8] > magic[8] else {
      return nil
    }
    return Int(bytes[8])
  }
}

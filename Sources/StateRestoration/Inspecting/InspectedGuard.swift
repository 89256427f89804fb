/// The page of the crash guard, read without any code of an app.
package struct InspectedGuard {
  /// The ends of launches while they restored state, as sentences. The last one may be that of the
  /// process that runs now.
  package let sentences: [String]

  /// Reads a guard page; nil if the bytes are not a guard page. The paths of records are looked up
  /// in the inspected archive.
  package init?(_ bytes: [UInt8], _ inspection: ArchiveInspection?) {
    guard let found = FoundStrikes(bytes) else { return nil }
    let book = found.book ?? StrikeBook(version: "")
    let places = Set(book.strikes.map(\.place)).union(found.lastEnd.map { [$0] } ?? [])
    let paths = inspection.map { $0.tree.paths(of: places) } ?? [:]
    let version = book.version.isEmpty ? "" : ", in version \(book.version) of the app"
    func end(in place: StrikePlace) -> String {
      let path = paths[place]?.suffix(12).map { $0.prefix(80) }
      let name = path.map { $0.isEmpty ? "the application" : $0.joined(separator: " › ") }
      return " while \(place.work)" + (name.map { " (\($0))" } ?? "")
    }
    var sentences: [String] = []
    if !found.isCertain { sentences.append("It is damaged, so ends of launches are not known.") }
    for strike in book.strikes where strike.count > 0 {
      sentences.append(
        (strike.isOut ? "Left out: " : "")
          + (strike.count == 1 ? "One launch has" : "\(strike.count) launches have")
          + " ended\(end(in: strike.place))\(version).")
    }
    if let last = found.lastEnd {
      sentences.append("The last process ended\(end(in: last))\(version).")
    }
    self.sentences = sentences
  }
}

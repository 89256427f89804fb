import StateRestoration

extension FoundStrikes {
  /// Returns the ends of launches while they restored state, as sentences. The last one may be that
  /// of the process that runs now. The paths of records are looked up in the inspected archive.
  func sentences(_ inspection: ArchiveInspection?) -> [String] {
    let version = book?.version ?? ""
    func ended(_ place: StrikePlace) -> String {
      let path = inspection?.path(of: RecordID(place.number))?.joined(separator: " › ")
      return "ended while \(place.work)" + (path.map { " (\($0))" } ?? "")
        + (version.isEmpty ? "." : ", in version \(version) of the app.")
    }
    var sentences = isCertain ? [] : ["It is damaged, so ends of launches are not known."]
    for strike in book?.strikes ?? [] where strike.count > 0 {
      let launches = strike.count == 1 ? "One launch has" : "\(strike.count) launches have"
      sentences.append("\(strike.isOut ? "Left out: " : "")\(launches) \(ended(strike.place))")
    }
    if let lastEnd { sentences.append("The last process \(ended(lastEnd))") }
    return sentences
  }
}

extension String {
  /// The name with its ASCII letters in lower case, because SQLite ignores the case of these letters.
  var foldedName: String {
    String(decoding: utf8.map { (0x41...0x5a).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
  }
}

public import Foundation

/// The error of a store that could not be opened.
public struct OpeningError: Error, CustomStringConvertible {
  /// The URL of the store, without user and password.
  public let url: URL
  /// The reason why the store could not be opened.
  public let opening: Opening<Never>

  package init(url: URL, opening: Opening<Never>) {
    self.url = url.withoutCredentials
    self.opening = opening
  }

  /// The URL, and the reason why the store could not be opened.
  public var description: String {
    "could not open \(url.namesFile ? url.path : url.absoluteString): \(opening)"
  }
}

extension Opening {
  /// Returns the store of the outcome.
  ///
  /// - Throws: If there is no store, an error with the reason.
  package func opened(at url: URL) throws -> Store {
    if let store { return store }
    if case .cancelled = self { throw CancellationError() }
    if case .failed(let error) = self, case .schema = error.reason { throw error }
    throw OpeningError(url: url, opening: refusal ?? .cancelled)
  }
}

extension URL {
  /// Whether the URL may lead to a file. A URL without a scheme counts as a path.
  package var namesFile: Bool { isFileURL || scheme == nil }

  /// The URL without user and password. It can safely be shown and logged.
  package var withoutCredentials: URL {
    // Without this sign there is no user. Taking a URL apart takes longer than a fast opening's tree.
    guard absoluteString.utf8.contains(UInt8(ascii: "@")),
      var parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
      parts.user != nil || parts.password != nil
    else { return self }
    parts.user = nil
    parts.password = nil
    return parts.url ?? self
  }
}

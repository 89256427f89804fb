public import Foundation

/// An error that a store could not be opened.
public struct OpeningError: Error, CustomStringConvertible {
  /// Where the store is, without user and password.
  public let url: URL
  /// Why it is not open.
  public let opening: Opening<Never>

  package init(url: URL, opening: Opening<Never>) {
    self.url = url.withoutCredentials
    self.opening = opening
  }

  /// The place, and why the store is not open.
  public var description: String {
    "could not open \(url.namesFile ? url.path : url.absoluteString): \(opening)"
  }
}

extension Opening {
  /// Returns the store, or throws why there is none.
  package func opened(at url: URL) throws -> Store {
    if let store { return store }
    if case .cancelled = self { throw CancellationError() }
    if case .failed(let error) = self, case .schema = error.reason { throw error }
    throw OpeningError(url: url, opening: refusal ?? .cancelled)
  }
}

extension URL {
  /// Whether it may be a file's: a URL without a scheme is a path.
  package var namesFile: Bool { isFileURL || scheme == nil }

  /// The URL as a screen or a log may show it.
  package var withoutCredentials: URL {
    guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true),
      parts.user != nil || parts.password != nil
    else { return self }
    parts.user = nil
    parts.password = nil
    return parts.url ?? self
  }
}

#if Postgres
import CLineagePostgres
import Foundation
import ObjectGraph

/// The address of one or several servers, with what the environment and the store add to it.
///
/// What the address says goes first, then the environment, the service file and the password file,
/// which libpq reads itself, and then the store's own defaults.
package struct ServerAddress: Sendable {
  private let said: [String: String]
  /// The keywords of the service that the address or the environment names; nil if its file was not found.
  private let service: [String: String]?

  /// Reads a connection string. The error never shows it, because it may have a password.
  package init(_ text: String) throws {
    guard Self.endsPasswordPlainly(text) else {
      throw GraphError(
        "open the store",
        .other("its address has a second @, or a / before it; in a password, write %40 and %2F"))
    }
    var message: UnsafeMutablePointer<CChar>?
    guard let options = unsafe PQconninfoParse(text, &message) else {
      unsafe PQfreemem(message)
      throw GraphError(
        "open the store", .other("its address is not a connection string of PostgreSQL"))
    }
    defer { unsafe PQconninfoFree(options) }
    var said: [String: String] = [:]
    var option = unsafe options
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        said[unsafe String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    self.said = said
    let name = said["service"] ?? Self.environment["PGSERVICE"]
    service = if let name { Self.service(name) } else { [:] }
  }

  /// Returns whether the password in a URL has neither `@` nor `/`. libpq would take what comes after them
  /// for the host, and show it in its errors.
  private static func endsPasswordPlainly(_ text: String) -> Bool {
    guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
      return true
    }
    let url = text.dropFirst(scheme.count).prefix { $0 != "?" }
    guard let end = url.firstIndex(of: "@") else { return true }
    return !url[..<end].contains("/") && !url[url.index(after: end)...].contains("@")
  }

  private static var environment: [String: String] { ProcessInfo.processInfo.environment }

  /// Returns the keywords of a service; nil if no file has it. libpq reads them itself, but does not tell
  /// which there are.
  private static func service(_ name: String) -> [String: String]? {
    let own = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".pg_service.conf")
      .path
    let files = [
      environment["PGSERVICEFILE"] ?? own,
      (environment["PGSYSCONFDIR"] ?? "/etc/postgresql-common") + "/pg_service.conf",
    ]
    for file in files {
      guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
      let lines = text.split(whereSeparator: \.isNewline).map {
        $0.trimmingCharacters(in: .whitespaces)
      }
      guard let start = lines.firstIndex(of: "[\(name)]") else { continue }
      let own = lines[(start + 1)...].prefix { !$0.hasPrefix("[") }.filter { !$0.hasPrefix("#") }
      return own.reduce(into: [:]) { keywords, line in
        let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
        if parts.count == 2 { keywords[parts[0]] = parts[1] }
      }
    }
    return nil
  }

  /// The address as a URL without user and password, which can be shown.
  var url: URL {
    var parts = URLComponents()
    parts.scheme = "postgresql"
    parts.host = said["host"].map { $0.hasPrefix("/") ? "" : $0 } ?? ""
    parts.port = said["port"].flatMap { Int($0) }
    parts.path = "/" + (said["dbname"] ?? "")
    return parts.url ?? URL(filePath: "/")
  }

  /// Returns the keywords and values for libpq, which may take some seconds for all servers together, but
  /// at least two for each.
  package func keywords(password: String?, seconds: Double = 5) -> [(String, String)] {
    var all = said
    func add(_ keyword: String, _ variable: String, _ value: @autoclosure () -> String?) {
      if self.value(keyword, variable) == nil { all[keyword] = value() }
    }
    if let password { all["password"] = password }
    all["client_encoding"] = "UTF8"
    add("gssencmode", "PGGSSENCMODE", "disable")
    add("application_name", "PGAPPNAME", ProcessInfo.processInfo.processName)
    let share = seconds / Double(max(1, servers.count))
    add("connect_timeout", "PGCONNECT_TIMEOUT", "\(Int(max(2, min(share, 1e6)).rounded(.up)))")
    if !isLocal {
      add("sslmode", "PGSSLMODE", "verify-full")
      add("sslrootcert", "PGSSLROOTCERT", Self.systemRoots)
    }
    return all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Returns what the address, its service or the environment says; nil if none says anything.
  private func value(_ keyword: String, _ variable: String) -> String? {
    [said[keyword], service?[keyword], Self.environment[variable]].compactMap(\.self)
      .first { !$0.isEmpty }
  }

  /// The servers, each as the number or the name by which it is found. An empty name is this machine.
  private var servers: [Substring] {
    func list(_ keyword: String, _ variable: String) -> [Substring] {
      value(keyword, variable)?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }
    let (names, numbers) = (list("host", "PGHOST"), list("hostaddr", "PGHOSTADDR"))
    return (0..<max(names.count, numbers.count)).map { place in
      let number = place < numbers.count ? numbers[place] : ""
      return number.isEmpty && place < names.count ? names[place] : number
    }
  }

  /// Whether every server is on this machine. Of a service that was not found, nobody knows.
  private var isLocal: Bool {
    service != nil
      && servers.allSatisfy { host in
        host.isEmpty || host.hasPrefix("/") || host.hasPrefix("@") || host == "::1"
          || host == "localhost" || Self.isLoopback(host)
      }
  }

  private static func isLoopback(_ host: Substring) -> Bool {
    let parts = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return parts.count == 4 && parts.allSatisfy { $0 != nil } && parts[0] == 127
  }

  /// The system's file of trusted roots; nil if libpq is to look for one of the user's.
  private static var systemRoots: String? {
    let files = FileManager.default
    let own = files.homeDirectoryForCurrentUser.appending(path: ".postgresql/root.crt").path
    if files.fileExists(atPath: own) { return nil }
    return [
      "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
      "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
    ].first { files.fileExists(atPath: $0) }
  }
}
#endif

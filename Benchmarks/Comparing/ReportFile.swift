package import Foundation

/// The results of one run, read from a file that `--json` wrote.
package struct ReportFile {
  let path: String
  /// The facts about the run, such as the seed and the number of cores, by their names.
  let facts: [String: String]
  let rows: [FigureName: JSONReport.Row]
  /// The names of the figures in the order of the file.
  let names: [FigureName]

  /// Creates the results by reading the file at `path`.
  init(readingFrom path: String) throws(ReportFileError) {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw ReportFileError(path: path, reason: "there is no such file")
    }
    guard !isFolder.boolValue else { throw ReportFileError(path: path, reason: "it is a folder") }
    do {
      // The file is read by a handle, because Foundation's function for a whole file leaks a page
      // of memory if the file is empty.
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      try self.init(file.readToEnd() ?? Data(), path: path)
    } catch let error as ReportFileError {
      throw error
    } catch {
      throw ReportFileError(path: path, reason: error.localizedDescription)
    }
  }

  /// Creates the results from the data of a file at `path`.
  package init(_ data: Data, path: String) throws(ReportFileError) {
    let content: Content
    do {
      let schema = try JSONDecoder().decode(Schema.self, from: data).schema
      guard schema == JSONReport.schema else {
        throw ReportFileError(
          path: path, reason: "it has the schema \(schema), not \(JSONReport.schema)")
      }
      content = try JSONDecoder().decode(Content.self, from: data)
    } catch let error as ReportFileError {
      throw error
    } catch {
      throw ReportFileError(path: path, reason: Self.reason(error))
    }
    self.path = path
    facts = content.facts
    names = content.results.map(FigureName.init)
    rows = Dictionary(zip(names, content.results), uniquingKeysWith: { first, _ in first })
    guard rows.count == names.count else {
      throw ReportFileError(path: path, reason: "a figure is in it twice")
    }
  }

  private struct Schema: Decodable {
    let schema: Int
  }

  private struct Content: Decodable {
    let machine: [String: ParameterValue]?
    let swift: String?
    let build: String?
    let commit: String?
    let seed: UInt64?
    let effort: String?
    let results: [JSONReport.Row]

    var facts: [String: String] {
      var facts = (machine ?? [:]).mapValues(\.description)
      facts["Swift"] = swift
      facts["build"] = build
      facts["commit"] = commit
      facts["seed"] = seed.map(String.init)
      facts["effort"] = effort
      return facts
    }
  }

  private static func reason(_ error: any Error) -> String {
    let context: DecodingError.Context
    switch error as? DecodingError {
    case .dataCorrupted(let found), .keyNotFound(_, let found), .typeMismatch(_, let found),
      .valueNotFound(_, let found):
      context = found
    default: return "\(error)"
    }
    let place = context.codingPath.map { key in key.intValue.map(String.init) ?? key.stringValue }
    return (place.isEmpty ? "" : "at \(place.joined(separator: ".")): ")
      + context.debugDescription
  }
}

/// The error thrown when a file cannot be read as the results of a run.
package struct ReportFileError: Error, Equatable, CustomStringConvertible {
  let path: String
  let reason: String

  package init(path: String, reason: String) { (self.path, self.reason) = (path, reason) }

  package var description: String {
    let end = reason.hasSuffix(".") ? "" : "."
    return "\(path) cannot be read as the JSON of a run: \(reason)\(end)"
  }
}

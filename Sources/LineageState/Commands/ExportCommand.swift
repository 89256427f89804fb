import Foundation
import StateRestoration

/// The command `export --json`: all records with all values, one record in each line.
///
/// The text is written while the values are read. Its size is in proportion to that of the archive,
/// because long paths of records are left out.
struct ExportCommand {
  let state: OpenedState
  let output: ToolOutput

  /// The greatest numbers of identifiers and bytes of a path. Longer paths are not written.
  private static let pathLimit = (identifiers: 64, bytes: 1024)

  private var inspection: ArchiveInspection { state.inspection }

  /// Prints the archive as JSON.
  func run() throws {
    try output.line("{")
    try output.line("\"export\":1,")
    try output.line("\"generation\":\(inspection.findings.generation),")
    try output.line("\"bytes\":\(inspection.byteCount),")
    try output.line("\"faults\":\(inspection.faultCount),")
    try output.put("\"records\":[")
    for (place, index) in inspection.preorder.enumerated() {
      try output.line(place == 0 ? "" : ",")
      try write(index)
    }
    try output.line("")
    try output.line("]}")
  }

  private func write(_ index: Int) throws {
    let node = inspection.nodes[index]
    let parent = node.parent.map { "\(inspection.nodes[$0].id)" } ?? "null"
    try output.put("{\"id\":\(node.id),\"parent\":\(parent),\"depth\":\(node.depth)")
    if let path = path(index) { try output.put(",\"path\":\(JSONText.strings(path))") }
    guard let record = inspection.record(index) else {
      return try output.put(",\"damaged\":true}")
    }
    try output.put(",\"identifier\":\(JSONText.string(record.identifier))")
    try output.put(",\"ordinal\":\(node.ordinal)")
    try output.put(",\"role\":\"\(record.role.rawValue)\"")
    try output.put(",\"kind\":\(JSONText.string(record.kind)),\"version\":\(record.version)")
    if record.carriedLaunches > 0 {
      try output.put(
        ",\"carried\":{\"launches\":\(record.carriedLaunches)"
          + ",\"since\":\(JSONText.number(record.carriedSince))"
          + ",\"expiring\":\(record.isExpiring),\"displaced\":\(record.isDisplaced)}")
    }
    if let version = record.quarantine {
      try output.put(",\"quarantine\":\(JSONText.string(version))")
    }
    try output.put(",\"needs\":\(JSONText.strings(record.needs)),\"slots\":[")
    for (place, slot) in record.slots.enumerated() {
      try output.put(place == 0 ? "" : ",")
      try output.put(
        "{\"context\":\(JSONText.string(slot.context)),\"slot\":\"\(slot.kind)\""
          + ",\"identity\":\(JSONText.string(slot.identity))}")
    }
    try output.put("],\"bytes\":\(node.ownBytes),\"values\":{")
    var isFirst = true
    var keys: Set<ArraySlice<UInt8>> = []
    try inspection.forEachValue(of: index) { value in
      // If two values have the same key, a launch reads the first, so only the first is written.
      guard keys.insert(value.keyBytes).inserted else { return }
      try output.put((isFirst ? "" : ",") + JSONText.string(Self.name(of: value)) + ":")
      isFirst = false
      try JSONValue.write(value) { try output.put($0) }
    }
    try output.put("}}")
  }

  /// Returns the name of a value in the JSON object. Values with different keys have different
  /// names.
  private static func name(of value: InspectedValue) -> String {
    guard value.hasTextKey else {
      return "$key " + Data(value.keyBytes).base64EncodedString()
    }
    return value.key.hasPrefix("$") ? "$" + value.key : value.key
  }

  /// Returns the identifiers on the way from the application to a record's responder. Returns nil
  /// if the path is too long, or if a record on it is damaged.
  private func path(_ index: Int) -> [String]? {
    guard inspection.nodes[index].depth <= Self.pathLimit.identifiers else { return nil }
    var path: [String] = []
    var bytes = 0
    var next = index
    while let parent = inspection.nodes[next].parent {
      guard let identifier = inspection.identifier(next, limit: Self.pathLimit.bytes) else {
        return nil
      }
      bytes += identifier.utf8.count
      guard bytes <= Self.pathLimit.bytes else { return nil }
      path.append(identifier)
      next = parent
    }
    return path.reversed()
  }
}

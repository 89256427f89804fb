import Foundation
import StateRestoration

/// The command `show`, which prints the files of an app's state as text or as JSON.
///
/// The output is written while values are read. Its size is in proportion to that of the files.
struct ShowCommand {
  let files: StateFiles
  let output: TextOutput

  /// Prints the files, the tree and the reports.
  func run(isJSON: Bool) throws {
    if isJSON { return try writeJSON() }
    for line in files.lines { try output.line(line) }
    if let inspection = files.shown?.inspection {
      for index in inspection.preorder { try writeText(index, inspection) }
    }
    for report in files.reports { try writeText(report) }
  }

  private func writeText(_ index: Int, _ inspection: ArchiveInspection) throws {
    let node = inspection.nodes[index]
    // Deeper records are indented no further.
    let indentation = String(repeating: "  ", count: min(node.depth, 32))
    let depth = node.depth > 32 ? "(\(node.depth) deep) " : ""
    let facts = node.header.map { Self.facts($0) } ?? [("damaged", "not restored")]
    let name = inspection.name(index) + facts.map { " · \($0.name) \($0.value.cut())" }.joined()
    try writeText(node.allBytes, indentation + depth + name)
    for value in inspection.values(of: index) {
      try writeText(
        value.content.count, "\(indentation)    \(value.key.cut()): \(value.start(in: inspection))")
    }
  }

  /// Prints a line that begins with a number of bytes.
  private func writeText(_ bytes: Int, _ text: String) throws {
    let number = String(bytes)
    try output.line(String(repeating: " ", count: max(9 - number.count, 0)) + "\(number)  \(text)")
  }

  private func writeText(_ report: SavedReport) throws {
    let version = report.appVersion.isEmpty ? "" : ", version \(report.appVersion) of the app"
    let counts = report.counts.map { ", \($0.value) \($0.key)" }.sorted().joined()
    try output.line(
      "Launch \(report.launch), \(report.date)\(version), generation \(report.generation)\(counts)")
    for record in report.records {
      let path = record.path.isEmpty ? "the application" : record.path.joined(separator: " › ")
      let reason = record.reason.map { ": \($0)" } ?? ""
      try output.line("  \(record.outcome.rawValue): \(path)\(reason)")
    }
    for line in (report.problem.map { [$0] } ?? []) + report.problems + report.notes {
      try output.line("  \(line)")
    }
  }

  /// Returns the facts about a record that are not usual, as JSON.
  private static func facts(_ record: RecordHeader) -> [(name: String, value: String)] {
    var facts: [(name: String, value: String)] = []
    if record.role != .application, record.role != .child {
      facts.append(("role", "\(record.role)".quoted))
    }
    if !record.kind.isEmpty { facts.append(("kind", record.kind.quoted)) }
    if record.version != 1 { facts.append(("version", "\(record.version)")) }
    if !record.slots.isEmpty { facts.append(("slots", record.slots.map { "\($0)" }.quotedArray)) }
    if !record.contexts.isEmpty { facts.append(("needs", record.contexts.quotedArray)) }
    let parts = record.parts.map { "\($0.name): \($0.bytes.count)" }
    if !parts.isEmpty { facts.append(("parts", parts.quotedArray)) }
    guard let carry = record.carry else { return facts }
    if carry.isLeftOut { facts.append(("leftOut", "true")) }
    let since = String(secondsSince2001: carry.since.rounded(.down))?.quoted ?? "null"
    facts += [("launches", "\(carry.launches)"), ("since", since)]
    if carry.isExpiring { facts.append(("expiring", "true")) }
    if carry.isDisplaced { facts.append(("displaced", "true")) }
    return facts
  }

  private func writeJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let reports = String(decoding: try encoder.encode(files.reports), as: UTF8.self)
    try output.line(#"{"format":2,"lines":\#(files.lines.quotedArray),"#)
    try output.put(#""reports":\#(reports),"records":["#)
    if let inspection = files.shown?.inspection {
      for index in inspection.preorder {
        try output.line(index == 0 ? "" : ",")
        try writeJSON(index, inspection)
      }
    }
    try output.line()
    try output.line("]}")
  }

  private func writeJSON(_ index: Int, _ inspection: ArchiveInspection) throws {
    let node = inspection.nodes[index]
    let parent = node.parent.map { "\($0)" } ?? "null"
    let path = index == 0 ? [] : inspection.path(index)
    try output.put(
      #"{"id":\#(index),"parent":\#(parent),"depth":\#(node.depth),"#
        + #""path":\#(path.quotedArray),"bytes":\#(node.ownBytes)"#)
    guard let record = node.header else { return try output.put(#","damaged":true}"#) }
    try output.put(#","identifier":\#(record.identifier.quoted),"ordinal":\#(node.ordinal)"#)
    for fact in Self.facts(record) { try output.put(#","\#(fact.name)":\#(fact.value)"#) }
    try output.put(#","values":{"#)
    var keys: Set<ArraySlice<UInt8>> = []
    // If two values have the same key, a launch reads the first, so only the first is written.
    for value in inspection.values(of: index) where keys.insert(value.keyBytes).inserted {
      try output.put((keys.count > 1 ? "," : "") + value.quotedKey + ":")
      try ValueText(inspection: inspection, put: output.put).write(value)
    }
    try output.put("}}")
  }
}

extension ArchiveInspection {
  /// The indices of the nodes that a launch reaches. Each node comes before the nodes below it.
  fileprivate var preorder: [Int] {
    var order: [Int] = []
    var next = nodes.isEmpty ? [] : [0]
    while let index = next.popLast() {
      order.append(index)
      next += nodes[index].below.reversed()
    }
    return order
  }
}

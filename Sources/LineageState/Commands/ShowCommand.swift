import StateRestoration

/// The command `show`, which prints the tree with all values.
struct ShowCommand {
  let state: OpenedState
  let output: ToolOutput

  private var inspection: ArchiveInspection { state.inspection }

  /// Prints the tree.
  func run() throws {
    try output.line(SummaryText.text(state), .bold)
    var lines = TreeLines()
    for index in inspection.preorder {
      try show(index, &lines)
    }
  }

  private func show(_ index: Int, _ lines: inout TreeLines) throws {
    let node = inspection.nodes[index]
    let isLast = node.parent.map { inspection.nodes[$0].below.upperBound == index + 1 } ?? true
    try output.put(
      lines.begin(depth: node.depth, isLast: isLast, hasBelow: !node.below.isEmpty), .dim)
    try output.put(node.parent == nil ? "the application" : inspection.name(index), .bold)
    guard let record = inspection.record(index) else {
      return try output.line(" damaged: not restored", .red)
    }
    try output.line(Self.facts(record), .dim)
    try inspection.forEachValue(of: index) { value in
      try output.put(lines.beforeValue, .dim)
      try output.line("\(Self.short(value.key)): \(ShortValue.text(value))")
    }
  }

  /// Returns a key. A long key is cut.
  private static func short(_ key: String) -> String {
    key.utf8.count <= 200 ? key : "\(key.unicodeScalars.prefix(200))…"
  }

  private static func facts(_ record: InspectedRecord) -> String {
    var facts: [String] = []
    switch record.role {
    case .application, .child: break
    case .rootView: facts.append("root view")
    case .presented: facts.append("presented")
    case .object: facts.append("added object")
    }
    if !record.kind.isEmpty {
      let version = record.version == 1 ? "" : " \(record.version)"
      facts.append("kind \(short(record.kind))\(version)")
    }
    for slot in record.slots.prefix(20) {
      let identity = slot.identity.isEmpty ? "" : " \(SafeText.quoted(short(slot.identity)))"
      facts.append("\(short(slot.context)): \(slot.kind)\(identity)")
    }
    if record.slots.count > 20 { facts.append("\(record.slots.count - 20) more slots") }
    if !record.needs.isEmpty {
      facts.append("needs " + record.needs.prefix(20).map { short($0) }.joined(separator: ", "))
    }
    if let version = record.quarantine {
      let of = version.isEmpty ? "" : " of version \(short(version))"
      facts.append("in quarantine because of a crash\(of)")
    } else if record.carriedLaunches > 0 {
      let date = DateText.text(record.carriedSince.rounded(.down)).map { " since \($0)" } ?? ""
      facts.append("not restored in \(NumberText.text(record.carriedLaunches, "launch"))\(date)")
    }
    if record.isExpiring { facts.append("the next launch removes it") }
    if record.isDisplaced { facts.append("another one has its place") }
    return facts.isEmpty ? "" : "  " + facts.joined(separator: " · ")
  }
}

import StateRestoration

/// The command `show --sizes`, which prints the bytes of each subtree, the largest first.
struct SizesCommand {
  let state: OpenedState
  let output: ToolOutput

  /// The number of siblings that are always listed. The other siblings are listed if they have at
  /// least a thousandth of the file's bytes.
  private static let shownSiblings = 10

  /// One line of the printed tree.
  private enum Row {
    case node(Int, isLast: Bool)
    /// One line for all siblings that are not listed.
    case others(depth: Int, count: Int, bytes: Int)
  }

  private var inspection: ArchiveInspection { state.inspection }

  /// Prints the tree with the sizes of its records.
  func run() throws {
    try output.line(SummaryText.text(state), .bold)
    var lines = TreeLines()
    var next: [Row] = [.node(0, isLast: true)]
    while let row = next.popLast() {
      switch row {
      case .others(let depth, let count, let bytes):
        let tree = lines.begin(depth: depth, isLast: true, hasBelow: false)
        try line(bytes, tree, "\(NumberText.text(count)) smaller ones")
      case .node(let index, let isLast):
        let below = rows(below: index)
        try show(index, lines.begin(depth: depth(index), isLast: isLast, hasBelow: !below.isEmpty))
        try showValues(of: index, lines.beforeValue)
        next.append(contentsOf: below.reversed())
      }
    }
    for (bytes, name) in outsideOfTree where bytes > 0 { try line(bytes, "", name) }
    try line(inspection.byteCount, "", "all", .bold)
  }

  /// The parts of the file that belong to no record of the tree, each with its size and its name.
  private var outsideOfTree: [(bytes: Int, name: String)] {
    [
      (inspection.frameBytes, "the header, and the ends of saves"),
      (inspection.supersededBytes, "not in the tree any more; the next full save removes it"),
      (inspection.findings.unusedBytes, "not used, because a save is not complete"),
    ]
  }

  private func depth(_ index: Int) -> Int { inspection.nodes[index].depth }

  /// Returns the lines for the records directly below a record, the largest first.
  private func rows(below index: Int) -> [Row] {
    let nodes = inspection.nodes
    let sorted = nodes[index].below.sorted { one, other in
      nodes[one].allBytes != nodes[other].allBytes
        ? nodes[one].allBytes > nodes[other].allBytes : one < other
    }
    var shown =
      sorted.firstIndex { nodes[$0].allBytes * 1000 < inspection.byteCount }
      .map { max($0, Self.shownSiblings) } ?? sorted.count
    // If only one sibling is left, it is listed too, because a line for the others would not be
    // shorter.
    if shown + 1 >= sorted.count { shown = sorted.count }
    var rows = sorted.prefix(shown).enumerated().map { place, node in
      Row.node(node, isLast: place + 1 == sorted.count)
    }
    if shown < sorted.count {
      let others = sorted[shown...]
      rows.append(
        .others(
          depth: depth(index) + 1, count: others.count,
          bytes: others.reduce(0) { $0 + nodes[$1].allBytes }))
    }
    return rows
  }

  private func show(_ index: Int, _ tree: String) throws {
    let node = inspection.nodes[index]
    let name = node.parent == nil ? "the application" : inspection.name(index)
    let own = node.below.isEmpty ? "" : "  (its own: \(Bytes.text(node.ownBytes)))"
    try line(node.allBytes, tree, name + own, node.isDamaged ? .red : nil)
  }

  /// Prints the values of a record that have at least a hundredth of the file's bytes.
  private func showValues(of index: Int, _ tree: String) throws {
    guard inspection.nodes[index].ownBytes * 100 >= inspection.byteCount else { return }
    var values: [(bytes: Int, key: String)] = []
    try inspection.forEachValue(of: index) { value in
      guard value.range.count * 100 >= inspection.byteCount else { return }
      values.append((value.range.count, String(value.key.prefix(200))))
    }
    for value in values.sorted(by: { $0.bytes > $1.bytes }) {
      try line(value.bytes, tree, "\(value.key):", .dim)
    }
  }

  private func line(
    _ bytes: Int, _ tree: String, _ name: String, _ style: ToolOutput.Style? = nil
  ) throws {
    let share = bytes * 1000 / max(inspection.byteCount, 1)
    try output.put(
      "\(padded(Bytes.text(bytes), 9)) \(padded("\(share / 10).\(share % 10)", 5)) %  ")
    try output.put(tree, .dim)
    try output.line(name, style)
  }

  private func padded(_ text: String, _ count: Int) -> String {
    String(repeating: " ", count: max(count - text.count, 0)) + text
  }
}

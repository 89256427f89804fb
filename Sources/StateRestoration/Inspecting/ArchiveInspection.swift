/// An archive that is read without any code of an app: its records as a tree, and its faults.
///
/// The memory used is proportional to the archive's bytes, even if lengths in it are wrong. Nothing
/// recurses over the depth of the tree.
package struct ArchiveInspection {
  /// One record of the tree, which may be damaged.
  package struct TreeNode {
    /// The index of the node above this node; nil for the application's node.
    package let parent: Int?
    package let depth: Int
    /// The number of bytes of the record.
    package let ownBytes: Int
    /// The number of bytes of this record and of all records below it.
    package fileprivate(set) var allBytes: Int
    /// The header; nil if the record is damaged, or if a launch does not reach it.
    package fileprivate(set) var header: RecordHeader?
    /// The number of earlier siblings with the same identifier.
    package fileprivate(set) var ordinal = 0
    /// The indices of the nodes directly below this node that a launch reaches, in order.
    package fileprivate(set) var below: [Int] = []
  }

  /// The number of bytes of the archive.
  package let byteCount: Int
  private let tree: ArchivedTree
  /// The records, in the order of the levels of the tree. The first one is the application's.
  package private(set) var nodes: [TreeNode] = []
  /// The indices of the nodes, stored under the ids of their records.
  private var indices: [RecordID: Int] = [:]
  /// The first faults, each with its position, and with its record and key if it has them.
  package private(set) var faults: [String] = []
  /// The number of all faults.
  package private(set) var faultCount = 0

  /// The greatest number of faults that are kept. The rest are only counted.
  private static let faultLimit = 1_000

  /// The version of the archive format that can be read.
  package static let format = "\(ArchiveFormat.major).\(ArchiveFormat.minor)"

  /// The tool's limits. An app may have set higher limits than usual.
  package static let limits: RestorationLimits = {
    var limits = RestorationLimits()
    limits.archiveBytes = 1 << 30
    limits.records = Int(UInt32.max)
    return limits
  }()

  /// Reads and checks an archive.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    tree = ArchivedTree(StateArchive(bytes), Self.limits)
    let rest = tree.end..<bytes.count
    if let fault = findings.fault {
      add("\(fault)", at: rest)
      return
    }
    readNodes()
    if !rest.isEmpty { add("These bytes come after the end, and are not used.", at: rest) }
  }

  /// The findings about the archive, which a launch would have as well.
  package var findings: ArchiveFindings { tree.findings }

  /// Whether at least one record does not match its checksum.
  package var isDamaged: Bool { tree.isDamaged }

  /// Returns the values of a node's record, up to the first damaged entry.
  package func values(of index: Int) -> [InspectedValue] {
    var values: [InspectedValue] = []
    guard let reader = tree.reader(index) else { return [] }
    try? RecordValues(reader).forEach {
      values.append(InspectedValue(reader.bytes, key: $0.key, $0.value))
    }
    return values
  }

  /// Returns at most the last twelve names on the way from the application to a record.
  package func path(_ index: Int) -> [String] {
    var names: [String] = []
    var next = index
    while names.count < 12 {
      names.append(name(next, limit: 80))
      guard let parent = nodes[next].parent, parent > 0 else { return names.reversed() }
      next = parent
    }
    return ["…"] + names.reversed()
  }

  /// Returns the path of the record with an id; nil if none.
  package func path(of id: RecordID) -> [String]? { indices[id].map { path($0) } }

  /// Returns the identifier in a record, with its number among siblings with the same identifier.
  package func name(_ index: Int, limit: Int = 200) -> String {
    if index == 0 { return "the application" }
    guard let identifier = nodes[index].header?.identifier else { return "record \(index)" }
    let name = identifier.isEmpty ? "\"\"" : identifier.cut(to: limit)
    return nodes[index].ordinal > 0 ? "\(name) (\(nodes[index].ordinal + 1))" : name
  }
}

extension ArchiveInspection {
  /// Adds a fault in a range of bytes, with its record and key if it has them.
  private mutating func add(
    _ text: String, at range: Range<Int>, of index: Int? = nil, key: String? = nil
  ) {
    faultCount += 1
    guard faults.count < Self.faultLimit else { return }
    let record = index.map { path($0).joined(separator: " › ") + ": " } ?? ""
    let key = key.map { "key \($0.cut().quoted): " } ?? ""
    let size = range.isEmpty ? "" : " (\(String(range.count, "byte")))"
    faults.append("byte \(range.lowerBound): \(record)\(key)\(text)\(size)")
  }

  private mutating func readNodes() {
    nodes.reserveCapacity(tree.items.count)
    var ordinals = Ordinals()
    for (index, item) in tree.items.enumerated() {
      let parent = index > 0 ? Int(item.parent) : nil
      let depth = parent.map { nodes[$0].depth + 1 } ?? 0
      if nodes.last?.parent != parent { ordinals.beginSiblings() }
      nodes.append(
        TreeNode(
          parent: parent, depth: depth, ownBytes: item.whole.count, allBytes: item.whole.count))
      if let parent {
        guard parent == 0 || nodes[parent].header != nil else { continue }
        nodes[parent].below.append(index)
      }
      read(index, &ordinals)
    }
    for index in nodes.indices.reversed() {
      if let parent = nodes[index].parent { nodes[parent].allBytes += nodes[index].allBytes }
    }
  }

  /// Reads and checks a record.
  private mutating func read(_ index: Int, _ ordinals: inout Ordinals) {
    let item = tree.items[index]
    let loss =
      index == 0
      ? "The application's own values are not restored."
      : "It is not restored, nor is what is below it."
    guard let reader = tree.reader(index) else {
      let seeming = try? RecordHeader(ValueReader(tree.archive.bytes, item.range)).identifier
      let name = seeming.map { $0.isEmpty ? "" : " It may be \"\($0.cut())\"." } ?? ""
      return add("The bytes of the record were changed.\(name) \(loss)", at: item.whole, of: index)
    }
    do {
      let header = try RecordHeader(reader)
      nodes[index].header = header
      if !header.isDisplaced { nodes[index].ordinal = ordinals.next(header.identifier) }
      if indices[header.id] == nil { indices[header.id] = index }
      if index == 0, header.role != .application {
        add("The first record is not that of an application.", at: item.whole, of: 0)
      } else if index > 0, header.role == .application {
        let text = "It is a second record of an application, and is not restored."
        add(text, at: item.whole, of: index)
      }
      checkValues(of: index, reader)
    } catch {
      add("The record cannot be read. \(error) \(loss)", at: item.whole, of: index)
    }
  }

  /// Checks the values of a record.
  private mutating func checkValues(of index: Int, _ reader: ValueReader) {
    var position = reader.position
    do {
      let values = try RecordValues(reader)
      position = values.start
      var keys: Set<ArraySlice<UInt8>> = []
      try values.forEach { entry in
        position = entry.whole.upperBound
        let value = InspectedValue(reader.bytes, key: entry.key, entry.value)
        func fault(_ text: String, at range: Range<Int>) {
          add(text, at: range, of: index, key: value.key)
        }
        if values.count > 1, !keys.insert(value.keyBytes).inserted {
          fault("The key is there twice.", at: entry.whole)
        }
        if !value.hasTextKey { fault("The key is not UTF-8.", at: entry.key) }
        if let (place, reason) = value.damage {
          fault("The value cannot be read. \(reason)", at: place..<entry.value.upperBound)
        }
      }
      guard position == values.end else {
        throw StateError(.damaged("there are more bytes than its values have"))
      }
    } catch {
      add("Its values cannot be read. \(error)", at: position..<position, of: index)
    }
  }
}

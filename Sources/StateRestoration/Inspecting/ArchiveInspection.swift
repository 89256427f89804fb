/// An archive that is read without any code of an app: its records as a tree, and its faults.
///
/// The memory used is proportional to the archive's bytes, even if lengths in the archive are
/// wrong. Nothing recurses over the depth of the tree or of a value.
package struct ArchiveInspection {
  /// One record of the tree, which may be damaged.
  package struct TreeNode {
    /// The index of the node above this node; nil for the application's node.
    package let parent: Int?
    package let depth: Int
    /// The number of earlier siblings with the same identifier.
    package fileprivate(set) var ordinal = 0
    /// The indices of the nodes directly below this node, in order.
    package fileprivate(set) var below = 0..<0
    /// The number of bytes of the record.
    package fileprivate(set) var ownBytes = 0
    /// The number of bytes of this record and of all records below it.
    package fileprivate(set) var allBytes = 0
    /// Whether a launch reaches the record, because no record above it is damaged.
    fileprivate var isReached = true
    /// The header; nil if the record is damaged.
    package fileprivate(set) var header: RecordHeader?
  }

  /// A fault of the archive, with its position.
  package struct Fault {
    /// The position of the fault, counted in bytes from the beginning of the archive.
    package let position: Int
    /// The number of bytes that the fault makes unusable; zero if that number is not known.
    package var length = 0
    /// The index of the record in ``ArchiveInspection/nodes``; nil if the fault concerns no record.
    package var node: Int?
    /// The key of the damaged value; nil if the fault concerns no single value.
    package var key: String?
    /// The description of the fault, in sentences. They may contain texts of the archive.
    package let text: String
  }

  /// The number of bytes of the archive.
  package let byteCount: Int
  /// The records of the archive, and the findings that a launch would have as well.
  let tree: ArchivedTree
  /// The records, in the order of the levels of the tree. The first one is the application's.
  package private(set) var nodes: [TreeNode] = []
  /// The first faults, in the order of the records.
  package private(set) var faults: [Fault] = []
  /// The indices of the nodes, stored under the ids of their records.
  private var indices: [RecordID: Int] = [:]
  /// The number of all faults.
  package private(set) var faultCount = 0

  /// The greatest number of faults that are kept. The rest are only counted.
  private static let faultLimit = 1_000

  /// The version of the archive format that can be read.
  package static let format = "\(ArchiveFormat.major).\(ArchiveFormat.minor)"

  /// The tool's limits. An app may have set higher limits than the usual ones, so the tool limits
  /// only the number of bytes.
  package static let limits: RestorationLimits = {
    var limits = RestorationLimits()
    limits.archiveBytes = 1 << 30
    limits.records = Int(UInt32.max)
    limits.depth = Int.max
    return limits
  }()

  /// Reads and checks an archive.
  ///
  /// - Complexity: O(*n*) for *n* bytes.
  package init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    tree = ArchivedTree(StateArchive(bytes), Self.limits)
    if let fault = findings.fault {
      add(Fault(position: tree.end, length: bytes.count - tree.end, text: "\(fault)"))
      return
    }
    readNodes()
    if findings.unusedBytes > 0 {
      add(
        Fault(
          position: tree.end, length: findings.unusedBytes,
          text: "These bytes come after the end, and are not used."))
    }
  }

  /// The findings about the archive, which a launch would have as well.
  package var findings: ArchiveFindings { tree.findings }

  /// Whether at least one record does not match its checksum.
  package var isDamaged: Bool { tree.isDamaged }

  /// The indices of the nodes that a launch reaches. Each node comes before the nodes below it.
  ///
  /// - Complexity: O(*n*) for *n* nodes.
  package var preorder: [Int] {
    var order: [Int] = []
    var next = nodes.isEmpty ? [] : [0]
    while let index = next.popLast() {
      order.append(index)
      next.append(contentsOf: nodes[index].below.reversed().filter { nodes[$0].isReached })
    }
    return order
  }

  /// Calls the closure with each value of a node's record. Stops at the first damaged entry.
  package func forEachValue(of index: Int, _ body: (InspectedValue) throws -> Void) throws {
    guard let reader = tree.reader(index), let values = try? RecordValues(reader) else { return }
    // An error of the closure ends the loop and is thrown. A damaged entry only ends the loop.
    var failure: (any Error)?
    try? values.forEach { entry in
      do {
        try body(InspectedValue(key: entry.key, reader.bytes, entry.value))
      } catch {
        failure = error
        throw error
      }
    }
    if let failure { throw failure }
  }

  /// Returns the names of the records on the way from the application to a record, or only the last
  /// twelve.
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

  /// Returns the path of the record to which values refer by an id; nil if there is none.
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
  private mutating func add(_ fault: Fault) {
    faultCount += 1
    if faults.count < Self.faultLimit { faults.append(fault) }
  }

  private mutating func readNodes() {
    nodes.reserveCapacity(tree.items.count)
    for (index, item) in tree.items.enumerated() {
      let parent = index > 0 ? Int(item.parent) : nil
      let above = parent.map { nodes[$0] }
      var node = TreeNode(parent: parent, depth: above.map { $0.depth + 1 } ?? 0)
      node.ownBytes = item.whole.count
      node.isReached =
        parent == nil || parent == 0 || above?.isReached == true && above?.header != nil
      nodes.append(node)
      if node.isReached { read(index) }
    }
    tree.forEachFamily { parent, below in
      nodes[parent].below = below
      var ordinals: [String: Int] = [:]
      for index in below {
        guard let header = nodes[index].header, !header.isDisplaced else { continue }
        nodes[index].ordinal = ordinals[header.identifier, default: 0]
        ordinals[header.identifier, default: 0] += 1
      }
    }
    for index in nodes.indices.reversed() {
      nodes[index].allBytes += nodes[index].ownBytes
      if let parent = nodes[index].parent { nodes[parent].allBytes += nodes[index].allBytes }
    }
  }

  /// Checks the record of a node.
  private mutating func read(_ index: Int) {
    let item = tree.items[index]
    func fault(_ text: String) -> Fault {
      Fault(position: item.whole.lowerBound, length: item.whole.count, node: index, text: text)
    }
    let loss =
      index == 0
      ? "The application's own values are not restored."
      : "It is not restored, nor is what is below it."
    guard let reader = tree.reader(index) else {
      let seeming = try? RecordHeader(ValueReader(tree.archive.bytes, item.range)).identifier
      let name = seeming.map { $0.isEmpty ? "" : " It may be \"\($0.cut(to: 200))\"." } ?? ""
      return add(fault("The bytes of the record were changed.\(name) \(loss)"))
    }
    do {
      let header = try RecordHeader(reader)
      nodes[index].header = header
      if indices[header.id] == nil { indices[header.id] = index }
      if (header.role == .application) != (index == 0) {
        add(
          fault(
            index == 0
              ? "The first record is not that of an application."
              : "It is a second record of an application, and is not restored."))
      }
      checkValues(of: index, reader)
    } catch {
      add(fault("The record cannot be read. \(error) \(loss)"))
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
        func fault(_ range: Range<Int>, at start: Int? = nil, _ text: String) -> Fault {
          Fault(
            position: start ?? range.lowerBound, length: range.count, node: index,
            key: values.key(entry), text: text)
        }
        if values.count > 1, !keys.insert(values.keyBytes(entry)).inserted {
          add(fault(entry.whole, "The key is there twice."))
        }
        if reader.bytes.text(entry.key) == nil { add(fault(entry.key, "The key is not UTF-8.")) }
        guard let damage = InspectedValue(key: entry.key, reader.bytes, entry.value).damage else {
          return
        }
        add(fault(entry.value, at: damage.position, "The value cannot be read. \(damage.reason)"))
      }
      guard position == values.end else {
        throw StateError(.damaged("there are more bytes than its values have"))
      }
    } catch {
      add(Fault(position: position, node: index, text: "Its values cannot be read. \(error)"))
    }
  }
}

extension String {
  /// Returns the text with at most the given number of Unicode scalars.
  fileprivate func cut(to limit: Int) -> String {
    let scalars = unicodeScalars.prefix(limit)
    return scalars.endIndex == endIndex ? self : "\(String(scalars))…"
  }
}

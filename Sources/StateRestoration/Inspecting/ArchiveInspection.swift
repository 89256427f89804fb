/// An archive that is read without any code of an app: its records as a tree, and its faults.
///
/// The memory used is proportional to the archive's bytes, even if lengths in the archive are
/// wrong. Nothing recurses over the depth of the tree or of a value.
package struct ArchiveInspection {
  /// One record of the tree, which may be damaged.
  package struct Node {
    /// The record's number in the archive.
    package let id: UInt32
    /// The index of the node above this node; nil for the application's node.
    package let parent: Int?
    package let depth: Int
    /// The number of earlier siblings with the same identifier.
    package fileprivate(set) var ordinal = 0
    /// Whether the record cannot be read.
    package fileprivate(set) var isDamaged = false
    /// The indices of the nodes directly below this node, in order.
    package fileprivate(set) var below = 0..<0
    /// The number of bytes of the record, and of the list of the records below it.
    package fileprivate(set) var ownBytes = 0
    /// The number of bytes of this record and of all records below it.
    package fileprivate(set) var allBytes = 0
  }

  /// The findings of the scan, which a launch with this archive would have as well.
  package let findings: ArchiveFindings
  /// The first faults, in the order of their positions.
  package var faults: [ArchiveFault] { list.faults }
  /// The number of all faults.
  package var faultCount: Int { list.count }
  /// The number of bytes of the archive.
  package let byteCount: Int
  /// The records that a launch would find, level by level. The first one is the application's.
  package private(set) var nodes: [Node] = []

  let log: ArchiveLog
  private var list = FaultList()
  /// The damaged items of the archive's first save, stored under the record number that each item
  /// seems to have.
  private var changedItems: [UInt32: Range<Int>] = [:]

  /// The greatest number of nodes for damaged records. Damaged records beyond this number only add
  /// faults.
  private static let damagedNodeLimit = 1_000

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
    var notes: [ScanNote] = []
    var faults = 0
    log = ArchiveLog.open(StateArchive(bytes: bytes), limits: Self.limits) { note in
      if case .save = note { return }
      faults += 1
      if faults <= FaultList.limit { notes.append(note) }
    }
    findings = log.findings
    for note in notes { add(note, bytes) }
    list.count(max(faults - FaultList.limit, 0))
    if let problem = findings.fault, list.count == 0 {
      list.add(at: 0, length: bytes.count, "\(problem)")
    }
    if findings.fault == nil { readTree() }
    for range in changedItems.values.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      addChanged(range, bytes)
    }
    changedItems = [:]
    list.sort()
  }
}

extension ArchiveInspection {
  private mutating func add(_ note: ScanNote, _ bytes: [UInt8]) {
    switch note {
    case .save: break
    case .changed(let range):
      var reader = ValueReader(
        bytes, range.lowerBound + ArchiveFormat.itemHeaderSize..<range.upperBound)
      if let id = (try? reader.varint()).flatMap(UInt32.init(exactly:)), changedItems[id] == nil {
        changedItems[id] = range
      } else {
        addChanged(range, bytes)
      }
    case .unknown(let range):
      list.add(at: range.lowerBound, length: range.count, "An item has an unknown type.")
    case .misnumbered(let range):
      list.add(
        at: range.lowerBound, length: range.count, "An item has an impossible record number.")
    case .end(let position, let reason):
      let lost = findings.fault == nil ? findings.unusedBytes : bytes.count - position
      let sentence = sentence(reason)
      list.add(at: position, length: lost, sentence)
    }
  }

  private func sentence(_ reason: ScanNote.EndReason) -> String {
    let what =
      switch reason {
      case .cut: "An item is longer than the rest of the file."
      case .changed: "The bytes of an appended save were changed."
      case .miscounted: "A save has more or fewer items than it should have."
      case .uncommitted: "The file ends within a save."
      }
    guard findings.fault == nil else {
      return "\(what) The base is not complete, so nothing of the file can be used."
    }
    return "\(what) A launch uses what was saved before, and not the last "
      + "\(findings.unusedBytes) bytes."
  }

  /// Adds a fault for a damaged item that belongs to no known record of the tree.
  private mutating func addChanged(_ range: Range<Int>, _ bytes: [UInt8]) {
    let type = bytes[range.lowerBound + 4]
    let what = type == ArchiveFormat.ItemType.children.rawValue ? "list of records" : "record"
    let name = Self.seeming(range, bytes).map { " It may have been \"\($0)\"." } ?? ""
    list.add(
      at: range.lowerBound, length: range.count, "The bytes of a \(what) were changed.\(name)")
  }

  /// Returns the identifier that a damaged record seems to have; nil if none can be read.
  private static func seeming(_ range: Range<Int>, _ bytes: [UInt8]) -> String? {
    let payload = range.lowerBound + ArchiveFormat.itemHeaderSize..<range.upperBound
    guard bytes[range.lowerBound + 4] == ArchiveFormat.ItemType.record.rawValue,
      let header = try? RecordHeader(ValueReader(bytes, payload)), !header.identifier.isEmpty,
      header.identifier.utf8.count < 200
    else { return nil }
    return header.identifier
  }
}

extension ArchiveInspection {
  /// Reads the tree level by level, as a launch does. If a forged archive lists a record twice, the
  /// record gets the place that a launch would give it.
  private mutating func readTree() {
    var visited = [Bool](repeating: false, count: max(log.records.count, 1))
    visited[0] = true
    nodes.append(Node(id: 0, parent: nil, depth: 0))
    read(0)
    var damagedNodes = 0
    var next = 0
    while next < nodes.count {
      readList(below: next, &visited, &damagedNodes)
      next += 1
    }
    for index in nodes.indices.reversed() {
      nodes[index].allBytes += nodes[index].ownBytes
      if let parent = nodes[index].parent { nodes[parent].allBytes += nodes[index].allBytes }
    }
  }

  /// Adds nodes for the records directly below a node.
  private mutating func readList(
    below parent: Int, _ visited: inout [Bool], _ damagedNodes: inout Int
  ) {
    let id = nodes[parent].id
    // The records below an unreadable record are not restored, except those below the application.
    guard !nodes[parent].isDamaged || parent == 0 else { return }
    guard log.children.indices.contains(Int(id)), log.children[Int(id)].count > 0 else {
      if let range = changedItems[id], !nodes[parent].isDamaged {
        changedItems[id] = nil
        list.add(
          at: range.lowerBound, length: range.count, node: parent,
          "The bytes of the list of the records below it were changed. They are not restored.")
      }
      return
    }
    let place = log.children[Int(id)]
    let item = place.range.lowerBound - ArchiveFormat.itemHeaderSize
    nodes[parent].ownBytes += place.range.count + ArchiveFormat.itemHeaderSize
    do {
      // A list with any damage is not used.
      try log.forEachChild(of: id) { _ in }
    } catch {
      list.add(
        at: item, length: place.range.count, node: parent,
        "The list of the records below it cannot be read. They are not restored. \(error)")
      return
    }
    let start = nodes.count
    let depth = nodes[parent].depth + 1
    var ordinals: [String: Int] = [:]
    try? log.forEachChild(of: id) { child in
      let isThere = log.records.indices.contains(Int(child))
      guard !isThere || !visited[Int(child)] else {
        list.add(
          at: item, node: parent, "Record \(child) is listed below it, and is somewhere else too.")
        return
      }
      if isThere { visited[Int(child)] = true }
      let index = nodes.count
      nodes.append(Node(id: child, parent: parent, depth: depth))
      if let identifier = read(index) {
        nodes[index].ordinal = ordinals[identifier, default: 0]
        ordinals[identifier, default: 0] += 1
      }
      guard nodes[index].isDamaged else { return }
      damagedNodes += 1
      if damagedNodes > Self.damagedNodeLimit { nodes.removeLast() }
    }
    nodes[parent].below = start..<nodes.count
  }

  /// Checks the record of a node.
  ///
  /// - Returns: the identifier of the record; nil if the record cannot be read, or if another
  ///   responder or object has taken its place. In both cases, siblings with the same identifier
  ///   are counted without it.
  @discardableResult
  private mutating func read(_ index: Int) -> String? {
    let id = nodes[index].id
    guard let reader = log.reader(of: id) else {
      nodes[index].isDamaged = true
      addMissing(index)
      return nil
    }
    let range = log.records[Int(id)].range
    let item = range.lowerBound - ArchiveFormat.itemHeaderSize
    nodes[index].ownBytes = range.count + ArchiveFormat.itemHeaderSize
    do {
      let header = try RecordHeader(reader)
      if (header.role == .application) != (index == 0) {
        list.add(
          at: item, length: range.count, node: index,
          index == 0
            ? "The first record is not that of an application."
            : "It is a second record of an application, and is not restored.")
      }
      checkValues(of: index, reader, at: item)
      return header.extras.isDisplaced ? nil : header.identifier
    } catch {
      nodes[index].isDamaged = true
      list.add(
        at: item, length: range.count, node: index, "The record cannot be read. \(error)")
      return nil
    }
  }

  private mutating func addMissing(_ index: Int) {
    let id = nodes[index].id
    let loss = loss(index)
    if let range = changedItems.removeValue(forKey: id) {
      let name = Self.seeming(range, log.bytes).map { " It may be \"\($0)\"." } ?? ""
      list.add(
        at: range.lowerBound, length: range.count, node: index,
        "The bytes of the record were changed.\(name) \(loss)")
    } else {
      let parent = nodes[index].parent.map { log.children[Int(nodes[$0].id)] }
      let position = parent.map { $0.range.lowerBound - ArchiveFormat.itemHeaderSize } ?? 0
      list.add(at: position, node: index, "Record \(id) is missing. \(loss)")
    }
  }

  private func loss(_ index: Int) -> String {
    index == 0
      ? "The application's own values are not restored."
      : "It is not restored, nor is what is below it."
  }

  /// Checks the values of a record.
  private mutating func checkValues(of index: Int, _ reader: ValueReader, at item: Int) {
    var position = item
    do {
      let values = try RecordValues(reader)
      position = values.start
      var keys: Set<ArraySlice<UInt8>> = []
      try values.forEach { entry in
        position = entry.whole.upperBound
        if values.count > 1, !keys.insert(values.keyBytes(entry)).inserted {
          list.add(
            at: entry.whole.lowerBound, length: entry.whole.count, node: index,
            key: values.key(entry), "The key is there twice.")
        }
        if reader.bytes.text(entry.key) == nil {
          list.add(
            at: entry.key.lowerBound, length: entry.key.count, node: index,
            key: values.key(entry), "The key is not UTF-8.")
        }
        let value = InspectedValue(key: entry.key, reader.bytes, entry.value)
        guard let damage = value.damage else { return }
        list.add(
          at: damage.position, length: entry.value.count, node: index, key: values.key(entry),
          "The value cannot be read. \(damage.reason)")
      }
      guard position == values.end else {
        throw StateError(.damaged("there are more bytes than its values have"))
      }
    } catch {
      list.add(at: position, node: index, "Its values cannot be read. \(error)")
    }
  }
}

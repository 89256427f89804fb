/// The search in an archive for records in which launches have crashed. A record is found by its
/// number, or by the hash of its path.
///
/// - Complexity: O(*n*) for *n* records. The search is needed only after a crash.
struct CulpritSearch {
  /// One record that is reached from the application's record.
  private struct Reached {
    let id: UInt32
    let parent: Int?
    let identifier: String
    let path: UInt64
    /// Whether the archive has the record. The application is listed even if its record is missing.
    let isRecord: Bool
    let quarantine: String?
  }

  /// A record of the archive in which a launch has crashed.
  struct Found {
    let id: UInt32
    /// The identifiers on the way from the application to the record's responder.
    let path: [String]
    let pathHash: UInt64
    /// The version of the app for which the record is in quarantine already; nil if the record is
    /// not in quarantine.
    let quarantine: String?
  }

  private var records: [Reached] = []
  private var numbers: [UInt32: Int] = [:]
  private let generation: UInt64

  init(in log: ArchiveLog) {
    generation = log.generation
    add(0, parent: nil, log)
    var next = 0
    while next < records.count {
      for id in (try? log.childIDs(of: records[next].id)) ?? [] {
        add(id, parent: next, log)
      }
      next += 1
    }
  }

  private mutating func add(_ id: UInt32, parent: Int?, _ log: ArchiveLog) {
    guard numbers[id] == nil else { return }
    let header = log.reader(of: id).flatMap { try? RecordHeader($0) }
    guard header != nil || parent == nil else { return }
    let identifier = header?.identifier ?? ""
    let path =
      parent.map { PathHash.hash(identifier, below: records[$0].path) } ?? PathHash.root
    numbers[id] = records.count
    records.append(
      Reached(
        id: id, parent: parent, identifier: identifier, path: path, isRecord: header != nil,
        quarantine: header?.extras.quarantine))
  }

  /// Returns the records of a culprit. If the archive has the culprit's generation and a record
  /// with the culprit's number, this is that record alone. Otherwise, these are all records with
  /// the hash of the culprit's path.
  func find(_ culprit: Culprit) -> [Found] {
    guard culprit.record != GuardWord.noRecord || culprit.path != 0 else { return [] }
    if culprit.generation == generation, let index = numbers[culprit.record],
      records[index].isRecord
    {
      return [found(index)]
    }
    guard culprit.path != 0 else { return [] }
    return records.indices.filter { records[$0].path == culprit.path && records[$0].isRecord }
      .map(found)
  }

  /// Returns the hash of a record's path; zero if there is no record with that number.
  func path(of record: UInt32) -> UInt64 { numbers[record].map { records[$0].path } ?? 0 }

  private func found(_ index: Int) -> Found {
    var path: [String] = []
    var next = index
    while let parent = records[next].parent {
      path.append(records[next].identifier)
      next = parent
    }
    return Found(
      id: records[index].id, path: path.reversed(), pathHash: records[index].path,
      quarantine: records[index].quarantine)
  }
}

/// The places of all records of an archive, by the records' numbers.
///
/// - Complexity: O(*n*) for *n* records, to make it.
struct RecordPlaces {
  private var places: [StrikePlace]

  /// Makes the places of an archive with a number of records. Each record is in no place yet.
  init(count: Int) { places = Array(repeating: .none, count: count) }

  /// Finds the places of all records that the lists of an archive reach.
  init(of log: ArchiveLog) {
    self.init(count: max(log.records.count, 1))
    Self.forEach(in: log) { number, place, _ in self[number] = place }
  }

  /// The place of the record with a number; none if the record is not in the tree.
  subscript(number: UInt32) -> StrikePlace {
    get { places.indices.contains(Int(number)) ? places[Int(number)] : .none }
    set { if places.indices.contains(Int(number)) { places[Int(number)] = newValue } }
  }

  /// Returns the number of the record in a place; nil if there is none.
  func record(in place: StrikePlace) -> UInt32? {
    places.firstIndex(of: place).map { UInt32($0) }
  }

  /// Calls the closure with the number and the place of each record, and the number of the record
  /// above it. Records above come first.
  static func forEach(
    in log: ArchiveLog, _ body: (_ number: UInt32, StrikePlace, _ above: UInt32?) -> Void
  ) {
    var isVisited = [Bool](repeating: false, count: max(log.records.count, 1))
    isVisited[0] = true
    var found: [(number: UInt32, place: StrikePlace)] = [(0, .application)]
    body(0, .application, nil)
    var next = 0
    while next < found.count {
      let parent = found[next]
      next += 1
      var headers: [RecordHeader] = []
      for number in (try? log.childIDs(of: parent.number)) ?? [] {
        // A forged archive may list a record twice.
        guard isVisited.indices.contains(Int(number)), !isVisited[Int(number)],
          let header = log.reader(of: number).flatMap({ try? RecordHeader($0) }),
          header.id == number
        else { continue }
        isVisited[Int(number)] = true
        headers.append(header)
      }
      for (header, ordinal) in zip(headers, headers.strikeOrdinals) {
        let place = parent.place.record(header.identifier, ordinal)
        found.append((header.id, place))
        body(header.id, place, parent.number)
      }
    }
  }

  /// Returns the paths of the records of an archive in the given places.
  static func paths(of places: Set<StrikePlace>, in log: ArchiveLog) -> [StrikePlace: [String]] {
    var above: [UInt32: UInt32] = [:]
    var numbers: [StrikePlace: UInt32] = [:]
    forEach(in: log) { number, place, parent in
      above[number] = parent
      if places.contains(place) { numbers[place] = number }
    }
    return numbers.mapValues { number in
      var path: [String] = []
      var next = number
      while let parent = above[next] {
        let header = log.reader(of: next).flatMap { try? RecordHeader($0) }
        path.append(header?.identifier ?? "?")
        next = parent
      }
      return path.reversed()
    }
  }
}

extension Collection<RecordHeader> {
  /// The ordinals by which the places of sibling records with the same identifier are told apart.
  ///
  /// A record that was left out keeps its ordinal, so that the strikes of its place are its own. The
  /// others have the free ordinals in their order, those that have lost their place last.
  var strikeOrdinals: [Int] {
    var taken: [String: Set<Int>] = [:]
    for header in self {
      guard let ordinal = header.leftOutOrdinal else { continue }
      taken[header.identifier, default: []].insert(ordinal)
    }
    var counts: [String: Int] = [:]
    func next(_ identifier: String) -> Int {
      var ordinal = counts[identifier, default: 0]
      while taken[identifier]?.contains(ordinal) == true { ordinal += 1 }
      counts[identifier] = ordinal + 1
      return ordinal
    }
    var ordinals = map { $0.leftOutOrdinal ?? ($0.isDisplaced ? -1 : next($0.identifier)) }
    for (index, header) in enumerated() where ordinals[index] < 0 {
      ordinals[index] = next(header.identifier)
    }
    return ordinals
  }
}

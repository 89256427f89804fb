#if Postgres
import ObjectGraph

/// The rows that a context has announced. All of an announcement are read by the first read of one of
/// them, and kept until the moment ends.
struct AnnouncedRows {
  /// The place of a row in a result; nil if there is no such row.
  struct Place {
    let found: (result: ServerResult, row: Int)?
  }

  private struct Key: Hashable {
    let entity: Int
    let id: Int64
  }

  private var moment = 0
  private var places: [Key: Place] = [:]
  private var waiting: [Key: [Int64]] = [:]

  /// Returns the place of a row that was read in the present moment; nil if it was not read.
  mutating func place(of id: Int64, _ entity: Int, in moment: Int) -> Place? {
    guard moment == self.moment, moment > 0 else {
      if !places.isEmpty { places = [:] }
      return nil
    }
    return places[Key(entity: entity, id: id)]
  }

  /// Returns the place of a row among those that were kept last, also if the store has ended their moment
  /// since, for another reader.
  func kept(_ id: Int64, _ entity: Int) -> Place {
    places[Key(entity: entity, id: id)] ?? Place(found: nil)
  }

  mutating func announce(_ ids: [Int64], of entity: Int) {
    for id in ids { waiting[Key(entity: entity, id: id)] = ids }
  }

  /// Returns the ids of the announcement to which a row belongs, at most some of them, or the row's id
  /// alone.
  mutating func take(_ id: Int64, of entity: Int, atMost room: Int) -> [Int64] {
    guard var ids = waiting[Key(entity: entity, id: id)] else { return [id] }
    if ids.count > room {
      let others = ids.filter { $0 != id && waiting[Key(entity: entity, id: $0)] != nil }
      ids = [id] + others.prefix(room - 1)
    }
    for id in ids { waiting[Key(entity: entity, id: id)] = nil }
    return ids
  }

  /// Keeps the rows of a result, whose first column is the id, and forgets earlier ones if they are many.
  mutating func keep(
    _ result: ServerResult, _ ids: [Int64], of entity: Int, in moment: Int, atMost room: Int
  ) {
    if moment != self.moment || places.count > 2 * room { places = [:] }
    self.moment = moment
    for id in ids { places[Key(entity: entity, id: id)] = Place(found: nil) }
    for row in 0..<result.rowCount {
      places[Key(entity: entity, id: result.cell(row, 0).integer)] = Place(found: (result, row))
    }
  }
}
#endif

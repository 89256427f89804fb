extension Oracle {
  /// The states before each change of a context, in one group for each undo step.
  final class Log {
    /// The state of an object before a change, and the row that the object then had or had last.
    typealias Before = (number: Int, local: Local?, row: Row?)
    typealias Group = [Before]
    private let row: (Int) -> Row?
    private var done: [Group] = []
    private var undone: [Group] = []
    private var open: Group?
    private var depth = 0

    init(row: @escaping (Int) -> Row?) { self.row = row }

    func record(_ number: Int, _ local: Local?) {
      undone = []
      let before = (number, local, row(number))
      if open == nil { done.append([before]) } else { open?.append(before) }
    }

    func begin() {
      depth += 1
      if depth == 1 { open = [] }
    }

    func end() {
      depth -= 1
      guard depth == 0, let group = open else { return }
      open = nil
      if !group.isEmpty { done.append(group) }
    }

    func undo(_ restore: (Before) -> Local?) {
      guard let group = done.popLast() else { return }
      undone.append(
        group.reversed().map { [row] in ($0.number, row($0.number), restore($0)) }
          .map { ($0, $2, $1) })
    }

    func redo(_ restore: (Before) -> Local?) {
      guard let group = undone.popLast() else { return }
      done.append(
        group.reversed().map { [row] in ($0.number, row($0.number), restore($0)) }
          .map { ($0, $2, $1) })
    }

    func forget() {
      done = []
      undone = []
    }

    func copy() -> Log {
      let copy = Log(row: row)
      (copy.done, copy.undone, copy.open, copy.depth) = (done, undone, open, depth)
      return copy
    }

    var description: String { "\(done.isEmpty ? "" : "u")\(undone.isEmpty ? "" : "r")" }
  }

  /// Restores an earlier state of an object, and then applies the changes that others made since.
  /// Returns the replaced state.
  func restore(_ before: Log.Before, _ context: Int) -> Local? {
    guard let level = levels[context] else { return nil }
    let (number, local, row) = before
    noteLastRow(number)
    let now = level.local[number]
    // An object without edits that was deleted above stays deleted.
    let isOfExisting = local.map { $0.phase != .inserted } ?? false
    if now == nil, isOfExisting, view(number, level.parent) == nil { return nil }
    level.local[number] = local
    if var local, local.phase != .inserted {
      // A deletion that is restored takes part only in the conflicts of later changes.
      if local.phase == .deleted { local.contested = [:] }
      let edited = local.unsaved
      for (field, origin) in now?.contested ?? [:]
      where local.phase == .updated && edited.contains(field) && local.contested[field] == nil {
        local.contested[field] = origin
      }
      // The base is the current value above. If the object was deleted there, it is the last one.
      if let base = now?.base ?? view(number, level.parent) {
        for field in base.indices where !edited.contains(field) { local.value[field] = base[field] }
        local.base = base
      }
      level.local[number] = local
    }
    noteLastRow(number)
    follow(number, level)
    if let row, shownOrDeleted(number, context) == nil { level.last[number]?.row = row }
    propagate()
    return now
  }
}

import ObjectGraph

extension Commit {
  func insert(_ indices: [Int], into table: FileTable) throws {
    var start = 0
    if indices.count >= table.batch, !isCareful {
      let statement = try connection.kept(table.insertBatch)
      while start + table.batch <= indices.count {
        try insert(indices[start..<(start + table.batch)], with: statement, table)
        start += table.batch
      }
    }
    guard start < indices.count else { return }
    let single = try connection.kept(table.insertOne)
    for index in indices[start...] {
      do { try insert(CollectionOfOne(index), with: single, table) } catch let fault as SQLiteFault
      {
        throw failure(fault, of: writes[index])
      }
    }
  }

  @inline(__always)
  private func insert(
    _ indices: some Collection<Int>, with statement: Statement, _ table: FileTable
  ) throws {
    let arena = statements.arena
    arena.reset()
    var parameter: Int32 = 1
    for index in indices {
      let write = writes[index]
      try statement.bind(write.id, at: parameter)
      parameter += 1
      let count = table.columns.count
      let first = parameter
      try write.source.lend { value, _ in
        for column in 0..<count {
          try statement.bind(
            try statements.cell(of: table.columns[column], value, write),
            at: first + Int32(truncatingIfNeeded: column))
        }
      }
      parameter += Int32(count)
    }
    try statement.run()
  }
}

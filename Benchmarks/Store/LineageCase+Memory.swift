import Lineage

extension LineageCase {
  /// What 100,000 objects with their context take from malloc, less what their values would take
  /// as an array of structs.
  static let memory = LineageCase(name: "memory", unit: .bytes, bar: 144) { fixtures in
    let store = try await LineageStore.open(try await fixtures.filledFile(for: LineageStore.self))
    return Trial(
      operations: fixtures.rows,
      answer: { try store.all().answer },
      sample: { iterations in
        var total = 0
        for _ in 0..<iterations {
          let values = try bytes(of: { try store.values() })
          total += try bytes(of: { try store.all() }) - values
        }
        return Double(total)
      })
  }

  private static func bytes<Made>(of make: () throws -> Made) rethrows -> Int {
    let before = Heap.bytesInUse
    let made = try make()
    return withExtendedLifetime(made) { Heap.bytesInUse - before }
  }
}

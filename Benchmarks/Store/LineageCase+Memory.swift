import Lineage

extension LineageCase {
  /// The `memory` case: the bytes that one object takes from malloc, with its share of the
  /// context's memory. The bytes of its value in an array of structs are subtracted. All objects of
  /// the file are measured together.
  static let memory = LineageCase(name: "memory", unit: .bytes, bar: 144) { fixtures in
    let store = try await LineageStore.open(try await fixtures.filledPlace(for: LineageStore.self))
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

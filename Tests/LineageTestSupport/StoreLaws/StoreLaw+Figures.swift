import Foundation
import ObjectGraph

extension StoreLaw {
  static let figures: [StoreLaw] = [
    StoreLaw("Rows are counted by the values of each column") { store in
      let world = World(seed: 11)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>())
      for (index, column) in Sample.layout.columns.enumerated() {
        var expected: [StoredValue: Int] = [:]
        for row in world.samples {
          var value = row.value
          expected[try StructMemory.lend(&value) { try column.stored(of: $0) }, default: 0] += 1
        }
        try store.expectEqual(try reader.counts(of: query, by: index), expected)
      }
    },
    StoreLaw("Figures disregard nil, and are null without values") { store in
      let reader = try filled(store, [3, nil, -1])
      defer { reader.end() }
      let all = try store.query(FetchRequest<Sample>(limit: 1, offset: 1))
      let none = try store.query(FetchRequest<Sample>(where: { $0.number == 7 }))
      let path = PropertyPath(name: "maybeNumber")
      try store.expectEqual(try reader.aggregate(.count, of: all), .integer(3))
      try store.expectEqual(try reader.aggregate(.sum(path), of: all), .integer(2))
      try store.expectEqual(try reader.aggregate(.average(path), of: all), .real(1))
      try store.expectEqual(try reader.aggregate(.minimum(path), of: all), .integer(-1))
      try store.expectEqual(try reader.aggregate(.maximum(path), of: all), .integer(3))
      try store.expectEqual(try reader.aggregate(.count, of: none), .integer(0))
      for figure in [Aggregate.sum(path), .average(path), .minimum(path), .maximum(path)] {
        try store.expectEqual(try reader.aggregate(figure, of: none), .null)
      }
    },
    StoreLaw("A sum of integers that overflows is an error") { store in
      let reader = try filled(store, [.max, 1])
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>())
      _ = try store.refusal {
        _ = try reader.aggregate(.sum(PropertyPath(name: "maybeNumber")), of: query)
      }
    },
    StoreLaw("A sum of integers that overflows only on the way is exact") { store in
      let path = PropertyPath(name: "number")
      for (numbers, sum) in [
        ([.max, 1, -1], .max), ([.max, .max, .min, .min], -2), ([.min, -1, 1], .min),
        ([.min, .min, .max, .max, 5], 3),
      ] as [([Int], Int64)] {
        let (reader, query) = try series("\(numbers)", numbers, at: \.number, in: store)
        defer { reader.end() }
        try store.expectEqual(try reader.aggregate(.sum(path), of: query), .integer(sum))
      }
    },
    StoreLaw("Infinities of both signs add up to no number, of one sign to themselves") { store in
      let path = PropertyPath(name: "score")
      for (numbers, sum) in [
        ([.infinity, -.infinity], .nan), ([-.infinity, 1], -.infinity), ([.infinity], .infinity),
      ] as [([Double], Double)] {
        let (reader, query) = try series("\(numbers)", numbers, at: \.score, in: store)
        defer { reader.end() }
        for figure in [Aggregate.sum(path), .average(path)] {
          try store.expectEqual(try reader.aggregate(figure, of: query), .real(sum))
        }
      }
    },
    StoreLaw("Figures of a filter, of reals, texts, dates, and behind relations") { store in
      let world = World(seed: 4)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>(where: { $0.flag == true }))
      let rows = world.samples.filter(\.value.flag)
      try store.expectEqual(
        try reader.aggregate(.count, of: query), .integer(Int64(rows.count)))
      let texts = rows.map { StoredValue.text($0.value.text) }.sorted {
        StoredValue.order($0, $1) < 0
      }
      let text = PropertyPath(name: "text")
      try store.expectEqual(try reader.aggregate(.minimum(text), of: query), texts.first ?? .null)
      try store.expectEqual(try reader.aggregate(.maximum(text), of: query), texts.last ?? .null)
      let times = rows.compactMap(\.value.maybeTime?.timeIntervalSinceReferenceDate)
      try store.expectEqual(
        try reader.aggregate(.maximum(PropertyPath(name: "maybeTime")), of: query),
        times.max().map { .real($0) } ?? .null)
      let numbers = rows.compactMap { world[$0.value.friend]?.value.number }
      try store.expectEqual(
        try reader.aggregate(
          .minimum(PropertyPath(relations: ["friend"], name: "number")), of: query),
        numbers.min().map { .integer(Int64($0)) } ?? .null)
    },
    StoreLaw("A sum of decimals is exact, whatever their order, up to 38 digits") { store in
      let path = PropertyPath(name: "price")
      let most = Decimal.greatestFiniteMagnitude
      let nines = String(repeating: "9", count: 37)
      for (prices, sum) in [
        ([0.1, 0.2, .loose(-2, 70)], "1"), ([most, most, -most, 0.5, -most], "0.5"),
        ([most, .leastNonzeroMagnitude, -most], "0.\(String(repeating: "0", count: 126))1"),
        ([Decimal(string: nines + "9") ?? 0, 1], "1" + String(repeating: "0", count: 38)),
        ([Decimal(string: nines + "9") ?? 0, 0.1], nil), ([most, .leastNonzeroMagnitude], nil),
        ([most, most], nil), ([0, .loose(9, 0)], "0"), ([-1.5, -2.5], "-4"),
      ] as [([Decimal], String?)] {
        for prices in [prices, prices.reversed()] {
          let (reader, query) = try series("\(prices)", prices, at: \.price, in: store)
          defer { reader.end() }
          if let sum {
            try store.expectEqual(try reader.aggregate(.sum(path), of: query), .text(sum))
          } else {
            let reason = try store.refusal { _ = try reader.aggregate(.sum(path), of: query) }
            guard case .figure = reason else { throw BrokenLaw(description: "\(reason)") }
          }
        }
      }
    },
    StoreLaw("A mean of decimals has 38 digits, and a half goes to the even one") { store in
      let path = PropertyPath(name: "maybePrice")
      let tiny = Decimal.loose(-128, 1)
      for (prices, mean) in [
        ([1, 2, nil], "1.5"), ([1, 0, 0], "0.\(String(repeating: "3", count: 38))"),
        ([2, 0, 0], "0.\(String(repeating: "6", count: 37))7"), ([nil], nil), ([], nil),
        ([tiny, 0], "0"), ([tiny, tiny, tiny, 0], Digits(tiny).text),
        (
          [Decimal(string: "-3" + String(repeating: "0", count: 37)), -1],
          "-15" + String(repeating: "0", count: 35) + "0"
        ),
      ] as [([Decimal?], String?)] {
        let (reader, query) = try series("\(prices)", prices, at: \.maybePrice, in: store)
        defer { reader.end() }
        try store.expectEqual(
          try reader.aggregate(.average(path), of: query), mean.map { .text($0) } ?? .null)
      }
    },
    StoreLaw("The least and the greatest decimal are so by size, also behind relations") { store in
      let world = World(seed: 6)
      try store.store.commit(world.writes(in: store.model), from: nil)
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>())
      for (path, prices) in [
        (PropertyPath(name: "price"), world.samples.map(\.value.price)),
        (PropertyPath(name: "maybePrice"), world.samples.compactMap(\.value.maybePrice)),
        (
          PropertyPath(relations: ["friend"], name: "price"),
          world.samples.compactMap { world[$0.value.friend]?.value.price }
        ),
      ] {
        let digits = prices.map { Digits($0) }.sorted()
        try store.expectEqual(
          try reader.aggregate(.minimum(path), of: query), .text(digits.first?.text ?? ""))
        try store.expectEqual(
          try reader.aggregate(.maximum(path), of: query), .text(digits.last?.text ?? ""))
      }
    },
    StoreLaw("A sum of reals is a real") { store in
      var sample = Sample()
      sample.score = 0.5
      try store.commit(
        .insert(Ref(key: 1), sample, in: store.model), .insert(Ref(key: 2), sample, in: store.model)
      )
      let reader = try store.store.makeReader()
      defer { reader.end() }
      let query = try store.query(FetchRequest<Sample>())
      let path = PropertyPath(name: "score")
      try store.expectEqual(try reader.aggregate(.sum(path), of: query), .real(1))
      try store.expectEqual(try reader.aggregate(.average(path), of: query), .real(0.5))
    },
  ]

  /// Commits one sample for each value and stores the value at the key path. Returns a reader, and
  /// a query that finds these samples by their text.
  private static func series<Value>(
    _ name: String, _ values: [Value], at path: WritableKeyPath<Sample, Value>,
    in store: StoreUnderTest
  ) throws -> (any StoreReader, Query) {
    for value in values {
      var sample = Sample()
      sample.text = name
      sample[keyPath: path] = value
      try store.commit(.insert(Object(sample).id, sample, in: store.model))
    }
    return (
      try store.store.makeReader(),
      try store.query(FetchRequest<Sample>(where: { $0.text == name }))
    )
  }

  private static func filled(
    _ store: StoreUnderTest, _ numbers: [Int?]
  ) throws -> any StoreReader {
    for (index, number) in numbers.enumerated() {
      var sample = Sample()
      sample.maybeNumber = number
      try store.commit(.insert(Ref(key: Int64(index + 1)), sample, in: store.model))
    }
    return try store.store.makeReader()
  }
}

import Foundation
package import ObjectGraph

/// Test values of one property of ``Sample``, including the least and the greatest of the kind. A
/// store must find the values by the filters and the order of the example.
package struct KindExample {
  /// The index of the property among the columns of ``Sample``.
  package let column: Int
  /// The samples, which differ only in the property. They are in ascending order if the property
  /// has an order.
  package let samples: [Sample]
  /// The ascending order by the property; nil if the property has no order.
  let order: Ordering<Sample>?
  /// A function from the index of a sample to a filter that only this sample passes.
  let equal: (Int) -> Filter<Sample>
  /// A function from the index of a sample to a filter for samples with lesser values; nil if the
  /// property cannot be compared with `<`.
  let less: ((Int) -> Filter<Sample>)?
  /// A function from the index of a sample to a filter for samples with equal or greater values;
  /// nil if the property cannot be compared with `>=`.
  let notLess: ((Int) -> Filter<Sample>)?
  /// The number of samples whose value is nil. They come first in ``samples``.
  let nils: Int

  private init<Value: Sendable>(
    _ path: WritableKeyPath<Sample, Value>, _ values: [Value], nils: Int = 0,
    order: Ordering<Sample>? = nil, equal: @escaping (Value) -> Filter<Sample>,
    less: ((Value) -> Filter<Sample>)? = nil, notLess: ((Value) -> Filter<Sample>)? = nil
  ) {
    column = MemoryLayout<Sample>.offset(of: path).flatMap(Sample.layout.column(at:)) ?? 0
    samples = values.map { value in
      var sample = Sample()
      sample[keyPath: path] = value
      return sample
    }
    self.order = order
    self.equal = { equal(values[$0]) }
    self.less = less.map { less in { less(values[$0]) } }
    self.notLess = notLess.map { notLess in { notLess(values[$0]) } }
    self.nils = nils
  }
}

extension ColumnKind {
  /// The properties of ``Sample`` that have this kind, each with its values.
  ///
  /// A new kind needs a case here. All laws and tests that go through the kinds then include it.
  package var examples: [KindExample] {
    switch self {
    case .bool: KindExample.both(\.flag, \.maybeFlag, [false, true])
    case .int: KindExample.both(\.number, \.maybeNumber, Pool.ends())
    case .int8: KindExample.both(\.small, \.maybeSmall, Pool.ends())
    case .int16: KindExample.both(\.short, \.maybeShort, Pool.ends())
    case .int32: KindExample.both(\.medium, \.maybeMedium, Pool.ends())
    case .int64: KindExample.both(\.long, \.maybeLong, Pool.ends())
    case .uint: KindExample.both(\.size, \.maybeSize, Pool.storable())
    case .uint8: KindExample.both(\.byte, \.maybeByte, Pool.ends())
    case .uint16: KindExample.both(\.word, \.maybeWord, Pool.ends())
    case .uint32: KindExample.both(\.wide, \.maybeWide, Pool.ends())
    case .uint64: KindExample.both(\.huge, \.maybeHuge, Pool.storable())
    case .double: KindExample.both(\.score, \.maybeScore, KindExample.reals())
    case .float: KindExample.both(\.ratio, \.maybeRatio, KindExample.reals())
    case .decimal: KindExample.both(\.price, \.maybePrice, KindExample.decimals)
    case .string:
      KindExample.both(
        \.text, \.maybeText, ["", "\0", "A", "a", "e\u{301}", "\u{E9}", "\u{10FFFF}"])
    case .data:
      KindExample.both(\.bytes, \.maybeBytes, [[], [0], [0, 0], [1], [255]].map { Data($0) })
    case .date:
      KindExample.both(
        \.time, \.maybeTime,
        KindExample.reals().map { Date(timeIntervalSinceReferenceDate: $0) })
    case .uuid: KindExample.both(\.token, \.maybeToken, Pool.uuids)
    case .url:
      KindExample.both(
        \.link, \.maybeLink,
        ["a", "file:///", "https://example.org/%00?b=c#d"].compactMap { URL(string: $0) })
    case .reference: [KindExample.reference]
    case .custom: [KindExample.text, KindExample.number, KindExample.json]
    }
  }
}

extension KindExample {
  /// The ids of the groups to which the examples refer. A store must have groups with these ids
  /// before it can hold the examples.
  package static let groups = [1, .max].map { Ref<Group>(key: $0) }

  fileprivate static func both<Value: AttributeValue>(
    _ plain: WritableKeyPath<Sample, Value>, _ maybe: WritableKeyPath<Sample, Value?>,
    _ ascending: [Value]
  ) -> [KindExample] {
    [attribute(plain, ascending), attribute(maybe, [nil] + ascending, nils: 1)]
  }

  private static func attribute<Value: AttributeValue>(
    _ path: WritableKeyPath<Sample, Value>, _ ascending: [Value], nils: Int = 0
  ) -> KindExample {
    KindExample(
      path, ascending, nils: nils, order: Ordering { $0[dynamicMember: path] },
      equal: { value in Filter { $0[dynamicMember: path] == value } },
      less: { value in Filter { $0[dynamicMember: path] < value } },
      notLess: { value in Filter { $0[dynamicMember: path] >= value } })
  }

  fileprivate static func reals<Value: BinaryFloatingPoint>() -> [Value] {
    let positive: [Value] = [.leastNonzeroMagnitude, 1, .greatestFiniteMagnitude, .infinity]
    return positive.reversed().map { -$0 } + [0] + positive
  }

  fileprivate static var decimals: [Decimal] {
    let positive: [Decimal] = [.leastNonzeroMagnitude, 9, 10, .greatestFiniteMagnitude]
    return positive.reversed().map { -$0 } + [0] + positive
  }

  fileprivate static var reference: KindExample {
    KindExample(
      \.group, [nil] + groups, nils: 1, equal: { id in Filter { $0.group == id } })
  }

  fileprivate static var text: KindExample {
    KindExample(
      \.mood, [.calm, .merry, .süß], order: Ordering { $0.mood },
      equal: { mood in Filter { $0.mood == mood } })
  }

  fileprivate static var number: KindExample {
    KindExample(
      \.maybeRank, [nil, .low, Sample.Rank.none, .high], nils: 1, order: Ordering { $0.maybeRank },
      equal: { rank in Filter { $0.maybeRank == rank } })
  }

  fileprivate static var json: KindExample {
    KindExample(
      \.maybeTags, [nil, ["\0", "\u{10FFFF}"]], nils: 1,
      equal: { tags in Filter { tags == nil ? $0.maybeTags == nil : $0.maybeTags != nil } })
  }
}

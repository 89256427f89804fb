import Foundation
import ObjectGraph

/// A ``Probe`` whose literal and value types are erased.
struct AnyProbe<Root: Entity> {
  let filter: (inout SplitMix64) -> FilterCase<Root>
  let order: (inout SplitMix64) -> OrderCase<Root>

  init<Literal, Value>(_ probe: Probe<Root, Literal, Value>) {
    filter = { probe.filter(&$0) }
    order = { probe.order(&$0) }
  }
}

/// The path from a root row to the row that a probe compares: the root row itself, or a row that it
/// refers to.
struct Start<Root: Entity, Path: RowColumns> where Path.Root == Root {
  let path: (Columns<Root>) -> Path
  let row: (World, World.Row<Root>) -> World.Row<Path.Target>?

  func to<Next>(
    _ path: @escaping (Path) -> Next,
    _ row: @escaping (World, Path.Target) -> World.Row<Next.Target>?
  ) -> Start<Root, Next> where Next: RowColumns<Root, Next.Target> {
    Start<Root, Next>(path: { path(self.path($0)) }) { world, root in
      self.row(world, root).flatMap { row(world, $0.value) }
    }
  }
}

extension Start where Path == Columns<Root> {
  init() { self.init(path: { $0 }, row: { $1 }) }
}

extension Start where Path.Target == Sample {
  var number: Probe<Root, Int, Int> {
    Probe({ path($0).number }, Pool.integers) { row($0, $1)?.value.number }
  }
  var text: Probe<Root, String, Bytes> {
    Probe({ path($0).text }, Pool.texts, bytes: { Bytes($0) }) { row($0, $1)?.value.text }
  }
  var maybeText: Probe<Root, String?, Bytes> {
    Probe({ path($0).maybeText }, Pool.texts + [nil], bytes: { $0.map { Bytes($0) } }) {
      row($0, $1)?.value.maybeText
    }
  }
  var score: Probe<Root, Double, Double> {
    Probe({ path($0).score }, Pool.doubles + [.nan]) { row($0, $1)?.value.score }
  }

  var flag: Probe<Root, Bool, Bool> {
    Probe(
      column: { path($0).flag }, value: { row($0, $1)?.value.flag }, literals: [false, true],
      unwrap: { $0 }, equal: ==, less: { !$0 && $1 })
  }
  var maybeFlag: Probe<Root, Bool?, Bool> {
    Probe(
      column: { path($0).maybeFlag }, value: { row($0, $1)?.value.maybeFlag },
      literals: [false, true, nil], unwrap: { $0 }, equal: ==, less: { !$0 && $1 })
  }
  var price: Probe<Root, Decimal, Digits> {
    Probe(
      column: { path($0).price }, value: { row($0, $1).map { Digits($0.value.price) } },
      literals: Pool.decimals, unwrap: { Digits($0) }, equal: ==, less: <)
  }
  var maybePrice: Probe<Root, Decimal?, Digits> {
    Probe(
      column: { path($0).maybePrice }, value: { row($0, $1)?.value.maybePrice.map { Digits($0) } },
      literals: Pool.decimals + [nil], unwrap: { $0.map { Digits($0) } }, equal: ==, less: <)
  }

  /// A probe for each sortable attribute of ``Sample``.
  var probes: [AnyProbe<Root>] {
    let singles: [AnyProbe<Root>] = [
      AnyProbe(text), AnyProbe(maybeText), AnyProbe(flag), AnyProbe(maybeFlag), AnyProbe(price),
      AnyProbe(maybePrice),
      AnyProbe(
        Probe({ path($0).bytes }, Pool.datas, bytes: { Bytes($0) }) { row($0, $1)?.value.bytes }),
      AnyProbe(
        Probe({ path($0).maybeBytes }, Pool.datas + [nil], bytes: { $0.map { Bytes($0) } }) {
          row($0, $1)?.value.maybeBytes
        }),
      AnyProbe(
        Probe({ path($0).token }, Pool.uuids, bytes: { Bytes($0.uuidString) }) {
          row($0, $1)?.value.token
        }),
      AnyProbe(
        Probe(
          { path($0).maybeToken }, Pool.uuids + [nil], bytes: { $0.map { Bytes($0.uuidString) } }
        ) { row($0, $1)?.value.maybeToken }),
      AnyProbe(
        Probe(
          { path($0).maybeLink }, Pool.links + [nil], bytes: { $0.map { Bytes($0.absoluteString) } }
        ) { row($0, $1)?.value.maybeLink }),
      AnyProbe(
        Probe({ path($0).link }, Pool.links, bytes: { Bytes($0.absoluteString) }) {
          row($0, $1)?.value.link
        }),
    ]
    let pairs: [[AnyProbe<Root>]] = [
      both(\.number, \.maybeNumber, Pool.integers),
      both(\.small, \.maybeSmall, Pool.ends()), both(\.short, \.maybeShort, Pool.ends()),
      both(\.medium, \.maybeMedium, Pool.ends()), both(\.long, \.maybeLong, Pool.ends()),
      both(\.size, \.maybeSize, Pool.unsigned()), both(\.byte, \.maybeByte, Pool.ends()),
      both(\.word, \.maybeWord, Pool.ends()), both(\.wide, \.maybeWide, Pool.ends()),
      both(\.huge, \.maybeHuge, Pool.unsigned()),
      both(\.score, \.maybeScore, Pool.doubles + [.nan]),
      both(\.ratio, \.maybeRatio, Pool.floats + [.nan]),
      both(\.time, \.maybeTime, Pool.dates),
    ]
    return singles + pairs.joined()
  }

  /// Returns a probe for an attribute and one for its optional counterpart. Both compare values as
  /// Swift does.
  private func both<Value: AttributeValue & Comparable>(
    _ plain: WritableKeyPath<Sample, Value>, _ maybe: WritableKeyPath<Sample, Value?>,
    _ literals: [Value]
  ) -> [AnyProbe<Root>] {
    [
      AnyProbe(
        Probe({ path($0)[dynamicMember: plain] }, literals) {
          row($0, $1)?.value[keyPath: plain]
        }),
      AnyProbe(
        Probe({ path($0)[dynamicMember: maybe] }, optional: literals) {
          row($0, $1)?.value[keyPath: maybe]
        }),
    ]
  }
}

extension Start where Path.Target == Group {
  var name: Probe<Root, String, Bytes> {
    Probe({ path($0).name }, Pool.texts, bytes: { Bytes($0) }) { row($0, $1)?.value.name }
  }

  /// A probe for each attribute of a group.
  var probes: [AnyProbe<Root>] {
    [
      AnyProbe(name),
      AnyProbe(Probe({ path($0).weight }, optional: Pool.integers) { row($0, $1)?.value.weight }),
    ]
  }
}

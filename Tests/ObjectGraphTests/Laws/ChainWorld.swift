import LineageTestSupport
import ObjectGraph

/// A family of contexts, another root, and the objects that a random program has touched.
///
/// Two worlds run each program. One calls `saveAll()` and `edit`. The other calls `save()`
/// in each context of the chain, or only merges if one of these saves had thrown.
final class ChainWorld {
  /// The way in which a world saves a chain.
  enum Mode: Sendable { case whole, series, skipped }

  /// The properties of a program that its seed decides.
  struct Setting {
    /// Whether each context has its own policy. All objects are then touched in all contexts.
    let isMixed: Bool
    let listed: [Int]
    let recording: [Int]

    init(seed: UInt64) {
      var random = SplitMix64(seed: seed &* 7919)
      isMixed = random.chance(40)
      listed = (0..<6).filter { _ in random.chance(40) }
      recording = (0..<6).filter { _ in random.chance(60) }
    }
  }

  struct Refused: Error {}

  /// The index of each context's parent. The last context is another root.
  static let parents: [Int?] = [nil, 0, 1, 1, 0, 2, nil]
  static let other = 6
  static let names = ["a", "b", "c"]

  let store: ChainStore
  let setting: Setting
  var contexts: [ObjectContext] = []
  var held: [[Int64: GraphObject]] = []
  var mirrors: [Int: (cards: ListMirror<Card>, decks: ListMirror<Deck>)] = [:]
  var ids: [(entity: Int, key: Int64)] = []
  var drafts: [(slot: Int, object: GraphObject)] = []
  var faults: [Faults] = []
  var step = 0
  var log: [String] = []
  /// The complaints about the calls of lists.
  var complaints: [String] = []

  init(_ setting: Setting, on store: any ObjectStore) throws {
    self.setting = setting
    self.store = ChainStore(store)
    for slot in Self.parents.indices {
      contexts.append(make(slot))
      held.append([:])
      faults.append(Faults())
    }
    for slot in Self.parents.indices { equip(slot) }
    let root = contexts[0]
    for number in 0..<6 {
      let key = Int64(100 + number)
      ids.append((number < 3 ? 0 : number < 5 ? 1 : 2, key))
      switch number {
      case 0..<3: try root.insert(Object(Card("q\(number)"), id: Ref(key: key)))
      case 3..<5: try root.insert(Object(Deck("d\(number)"), id: Ref(key: key)))
      default: try root.insert(Object(Shelf("s"), id: Ref(key: key)))
      }
    }
    try root.save()
  }

  func make(_ slot: Int) -> ObjectContext {
    guard let parent = Self.parents[slot] else { return ObjectContext(store: store) }
    return contexts[parent].makeChild()
  }

  func equip(_ slot: Int) {
    let context = contexts[slot]
    context.name = "context \(slot)"
    context.onError = faults[slot].hear
    if setting.recording.contains(slot) { context.recordsUndo = true }
    if setting.listed.contains(slot),
      let cards = try? LiveList(
        FetchRequest<Card>(sort: { $0.question }), in: context),
      let decks = try? LiveList(FetchRequest<Deck>(sort: { $0.name }), in: context)
    {
      mirrors[slot] = (ListMirror(cards), ListMirror(decks))
    }
  }

  var calls: [Int: Int] { mirrors.mapValues { $0.cards.batches + $0.decks.batches } }
}

import ResponderChain

/// A key of random programs. It makes a value from a number, and the name of a value for the log.
protocol ModelKey: ContextKey {
  static func value(_ number: Int, _ ledger: Ledger) -> Value
  static func name(_ value: Value) -> String
  static func branch(_ responder: Responder, _ policy: BranchPolicy)
  static func context(_ value: Value) -> TestContext?
}

/// A key for contexts. The two digits make a hundred different keys.
enum Key<Tens: Digit, Units: Digit>: ModelKey {
  typealias Value = TestContext

  static func value(_ number: Int, _ ledger: Ledger) -> TestContext { ledger.pool[number] }
  static func name(_ value: TestContext) -> String { value.name }
  static func branch(_ responder: Responder, _ policy: BranchPolicy) {
    responder.branch(Self.self, policy)
  }
  static func context(_ value: TestContext) -> TestContext? { value }
}

/// A key for plain values, which can be equal but not identical. The digit makes ten different
/// keys.
enum PlainKey<Units: Digit>: ModelKey {
  typealias Value = [Int]

  static func value(_ number: Int, _ ledger: Ledger) -> [Int] { [number] }
  static func name(_ value: [Int]) -> String { "c\(value.first ?? -1)" }
  static func branch(_ responder: Responder, _ policy: BranchPolicy) {}
  static func context(_ value: [Int]) -> TestContext? { nil }
}

protocol Digit: SendableMetatype {}
enum D0: Digit {}
enum D1: Digit {}
enum D2: Digit {}
enum D3: Digit {}
enum D4: Digit {}
enum D5: Digit {}
enum D6: Digit {}
enum D7: Digit {}
enum D8: Digit {}
enum D9: Digit {}

/// The keys of random programs. The programs refer to them by index.
enum ModelKeys {
  static let contextCount = 100
  static let plainCount = 10

  /// All keys. First are the context keys, grouped by their bit in the mask of a node, the largest
  /// group first. The plain keys are last.
  static let all: [any ModelKey.Type] = {
    let digits: [any Digit.Type] = [
      D0.self, D1.self, D2.self, D3.self, D4.self, D5.self, D6.self, D7.self, D8.self, D9.self,
    ]
    let contexts = digits.flatMap { tens in digits.map { units in key(tens, units) } }
    let byBit = Dictionary(grouping: contexts) { maskIndex(of: $0) }.values
    let collidingFirst = byBit.sorted { $0.count > $1.count }.flatMap(\.self)
    return collidingFirst + digits.map { plain($0) }
  }()

  private static func key<T: Digit, U: Digit>(_: T.Type, _: U.Type) -> any ModelKey.Type {
    Key<T, U>.self
  }

  private static func plain<U: Digit>(_: U.Type) -> any ModelKey.Type { PlainKey<U>.self }
}

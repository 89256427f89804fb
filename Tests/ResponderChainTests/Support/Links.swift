import LineageTestSupport
import ResponderChain

/// A chain of values. Each value provides the next one when it is deinitialised.
final class Links {
  /// A way in which a slot releases its value.
  enum Order: CaseIterable {
    case replaced, again, blocked, withdrawn, inBatch, delivered
  }

  private enum Key: ContextKey { typealias Value = Link }

  /// A value of the chain. The conformance is safe because each value ends on the thread that made
  /// it.
  private final class Link: @unchecked Sendable {
    private weak let links: Links?

    init(_ links: Links) { self.links = links }

    deinit { links?.provideNext() }
  }

  let page = Page("page")
  /// The pages for the way `replaced`. Each has a value that the next one replaces.
  private var others: [Page] = []
  private(set) var left: Int
  private let way: Order

  init(_ count: Int, _ way: Order) {
    left = count
    self.way = way
    guard way == .replaced else { return }
    others = (0..<count).map { _ in Page("other") }
    for other in others { other.provide(Link(self), for: Key.self) }
  }

  func provideNext() {
    guard left > 0 else { return }
    left -= 1
    switch way {
    case .replaced: others[left].provide(Link(self), for: Key.self)
    case .again: page.provide(Link(self), for: Key.self)
    case .blocked:
      page.provide(Link(self), for: Key.self)
      page.block(Key.self)
    case .withdrawn: provideAndWithdraw()
    case .inBatch: Application().batch { provideAndWithdraw() }
    case .delivered:
      page.expect(Key.self).deliver(Link(self))
      try? page.withdraw(Key.self)
    }
  }

  private func provideAndWithdraw() {
    page.provide(Link(self), for: Key.self)
    try? page.withdraw(Key.self)
  }
}

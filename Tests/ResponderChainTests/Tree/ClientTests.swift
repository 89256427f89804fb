import LineageTestSupport
import ResponderChain
import Testing

/// An actor of a client program. It contains a tree without any annotations for concurrency.
private actor Desk {
  private let application: Application
  private let leaf = Page("leaf")

  init(_ strategy: Strategy) { application = Application(strategy: strategy) }

  func open() throws -> Delivery<Notebook> {
    let screen = Screen("screen")
    try screen.setRootView(leaf)
    try application.append(screen)
    screen.branch(Notebook.self)
    return application.expect(Notebook.self)
  }

  func name() async throws -> String { try await leaf.context(whenReady: Notebook.self).name }

  func theme(_ theme: Theme) -> Theme? {
    application.provide(theme)
    return leaf.context(Theme.self)
  }
}

@Suite("A tree lives in any isolation", .hangGuard)
struct ClientTests {
  @Test("In an actor", arguments: Strategy.allCases)
  func inActor(_ strategy: Strategy) async throws {
    let desk = Desk(strategy)
    let delivery = try await desk.open()
    async let name = desk.name()
    delivery.deliver(Notebook("root"))
    #expect(try await name == "root/1")
    #expect(await desk.theme(Theme("dark")) == Theme("dark"))
  }

  @Test("On the main actor", arguments: Strategy.allCases)
  @MainActor
  func onMainActor(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.load(Notebook.self) { Notebook("root") }
    #expect(try await tree.leaf.context(whenReady: Notebook.self).name == "root")
  }

  @Test("In a function that belongs to nobody", arguments: Strategy.allCases)
  func alone(_ strategy: Strategy) async throws {
    let tree = try SmallTree(strategy)
    tree.application.load(Notebook.self) { Notebook("root") }
    #expect(try await tree.leaf.context(whenReady: Notebook.self).name == "root")
    for await theme in tree.leaf.updates(of: Theme.self) {
      #expect(theme.description == "missing")
      break
    }
  }

  @Test("A hundred trees in parallel tests", arguments: 0..<100)
  func parallel(_ number: Int) async throws {
    let strategy = Strategy.allCases[number % Strategy.allCases.count]
    let tree = try SmallTree(strategy)
    tree.application.load(Theme.self) { Theme("\(number)") }
    #expect(try await tree.leaf.context(whenReady: Theme.self) == Theme("\(number)"))
    #expect(try await tree.uncle.context(whenReady: Theme.self) == Theme("\(number)"))
  }

  @Test("A thousand tasks have a tree each, and leave nothing behind")
  func thousand() async throws {
    let census = Census()
    let sum = try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<1_000 {
        group.addTask {
          let strategy = Strategy.allCases[number % Strategy.allCases.count]
          let tree = try SmallTree(strategy, in: census)
          tree.application.load(Theme.self) { Theme("\(number)") }
          let theme = try await tree.leaf.context(whenReady: Theme.self)
          return theme == Theme("\(number)") ? 1 : 0
        }
      }
      var sum = 0
      for try await one in group { sum += one }
      return sum
    }
    #expect(sum == 1_000)
    try await until { census.population == 0 }
    #expect(census.births == 5_000)
  }

  @Test("A thousand tasks share one tree in an actor", arguments: Strategy.allCases)
  func shared(_ strategy: Strategy) async throws {
    let desk = Desk(strategy)
    let delivery = try await desk.open()
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<1_000 { group.addTask { try await desk.name() } }
      group.addTask {
        delivery.deliver(Notebook("root"))
        return "root/1"
      }
      var names: Set<String> = []
      for try await name in group { names.insert(name) }
      return names
    }
    #expect(names == ["root/1"])
  }
}

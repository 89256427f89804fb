import LineageTestSupport
import ResponderChain
import Testing

@Suite("Actions with a name")
struct OfferTests {
  enum Command: Hashable { case save, close, help }
  struct Print: Hashable {}
  struct Refused: Error {}

  private func shown(_ responder: Responder) -> [String] {
    responder.offers.map {
      "\($0.key ?? "-") \($0.name) at \($0.responder.debugLabel)\($0.isEnabled ? "" : ", disabled")"
    }
  }

  @Test("Offers are listed from the nearest on, in their order", arguments: Strategy.allCases)
  func list(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var log: [String] = []
    tree.application.offer(Command.help, "help", key: "?") { _ in log.append("help") }
    tree.left.offer(Print(), "print") { log.append("print at \($0.debugLabel)") }
    tree.left.offer(Command.save, "save", key: "^S", when: { $0.children.count > 9 }) { _ in
      log.append("never")
    }
    tree.left.offer(Command.close, "close", key: "q") { _ in log.append("close") }
    #expect(
      shown(tree.leaf) == [
        "- print at Screen \"left\"", "^S save at Screen \"left\", disabled",
        "q close at Screen \"left\"", "? help at Application",
      ])
    #expect(shown(tree.uncle) == ["? help at Application"])
    for offer in tree.leaf.offers { offer.send() }
    #expect(log == ["print at Screen \"left\"", "close", "help"])
    guard case .stopped(let by) = tree.leaf.send(Command.save) else {
      Issue.record("a disabled offer does not stop its action")
      return
    }
    #expect(by === tree.left)
  }

  @Test("A nearer key or action hides a farther one; a block ends the list of its type")
  func hiding() throws {
    let tree = try SmallTree(.skipping)
    var log: [String] = []
    tree.application.offer(Command.help, "help", key: "?") { _ in log.append("help") }
    tree.application.offer(Command.close, "quit", key: "q") { _ in log.append("quit") }
    tree.application.offer(Print(), "print", key: "p") { _ in log.append("print") }
    tree.left.offer(Command.save, "ask", key: "?") { _ in log.append("ask") }
    tree.left.offer(Command.close, "close") { _ in log.append("close") }
    #expect(tree.leaf.offers.map(\.name) == ["ask", "close", "print"])
    tree.leaf.offers.forEach { $0.send() }
    #expect(log == ["ask", "close", "print"])
    // The hidden action is still there for code that sends it.
    #expect(tree.leaf.send(Command.help).isHandled)
    tree.page.block(ActionHandler<Command>.self)
    #expect(tree.leaf.offers.map(\.name) == ["print"])
    #expect(!tree.leaf.send(Command.help).isHandled)
    #expect(tree.left.offers.map(\.name) == ["ask", "close", "print"])
  }

  @Test("An offer of an equal action is replaced; a handler gets the other ones; off removes all")
  func replacing() throws {
    let tree = try SmallTree(.skipping)
    var log: [String] = []
    tree.left.offer(Command.save, "save") { _ in log.append("save") }
    tree.left.offer(Command.close, "close") { _ in }
    tree.left.offer(Command.save, "save all") { _ in log.append("save all") }
    #expect(tree.leaf.offers.map(\.name) == ["close", "save all"])
    #expect(!tree.leaf.send(Command.help).isHandled)
    for words in ["once", "twice"] {
      tree.left.on(Command.self) { (_: Screen, command: Command) in
        log.append("\(words) \(command)")
      }
      #expect(tree.leaf.offers.map(\.name) == ["close", "save all"])
      #expect(tree.leaf.send(Command.help).isHandled && tree.leaf.send(Command.save).isHandled)
    }
    tree.left.offer(Command.help, "help") { _ in log.append("help") }
    tree.leaf.send(Command.help)
    #expect(log == ["once help", "save all", "twice help", "save all", "help"])
    tree.left.off(Command.self)
    #expect(tree.leaf.offers.isEmpty && !tree.leaf.send(Command.help).isHandled)
  }

  @Test(
    "Offers of a responder that has blocked their type are a wall", arguments: Strategy.allCases)
  func walls(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    var log: [String] = []
    tree.application.offer(Command.help, "help", key: "?") { _ in log.append("help") }
    tree.application.offer(Print(), "print") { _ in log.append("print") }
    tree.left.block(ActionHandler<Command>.self)
    #expect(tree.leaf.offers.map(\.name) == ["print"])
    tree.left.offer(Command.save, "save") { _ in log.append("save") }
    tree.left.offer(Command.close, "close") { _ in log.append("close") }
    #expect(tree.leaf.offers.map(\.name) == ["save", "close", "print"])
    tree.leaf.offers.forEach { $0.send() }
    guard case .stopped(let by) = tree.leaf.send(Command.help) else {
      Issue.record("the action went on")
      return
    }
    #expect(by === tree.left && log == ["save", "close", "print"])
    tree.left.on(Command.self) { (_: Screen, command: Command) -> ActionReply in .declined }
    guard case .stopped = tree.leaf.send(Command.help) else {
      Issue.record("the declined action went on")
      return
    }
    tree.left.off(Command.self)
    #expect(tree.leaf.send(Command.help).isHandled)
  }

  @Test("Whether an offer is enabled is asked only by who reads or sends it")
  func conditions() throws {
    let tree = try SmallTree(.skipping)
    var asked = 0
    for command in [Command.save, .close] {
      tree.left.offer(
        command, "offer",
        when: { _ in
          asked += 1
          return true
        }, { _ in })
    }
    tree.left.offer(Print(), "print") { _ in }
    #expect(tree.leaf.offers.count == 3 && asked == 0)
    #expect(tree.leaf.offers.allSatisfy(\.isEnabled) && asked == 2)
    tree.leaf.send(Command.save)
    #expect(asked == 3)
  }

  @Test("An error of an offered action goes up the tree")
  func failing() throws {
    let tree = try SmallTree(.skipping)
    var failures = 0
    tree.application.onFailure { _, failure in
      failures += failure.error is Refused ? 1 : 0
      return .handled
    }
    tree.left.offer(Command.save, "save") { _ in throw Refused() }
    #expect(tree.leaf.offers.first?.send().isHandled == true)
    #expect(failures == 1)
  }

  @Test("A handler that stops an action ends its way", arguments: Strategy.allCases)
  func stopped(_ strategy: Strategy) throws {
    let tree = try SmallTree(strategy)
    tree.application.on(Print.self) { (_: Application, _: Print) in
      Issue.record("a stopped action went on")
    }
    tree.left.on(Print.self) { (_: Screen, _: Print) -> ActionReply in .stopped }
    let outcome = tree.leaf.send(Print())
    guard case .stopped(let by) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(by === tree.left && !outcome.isHandled)
  }
}

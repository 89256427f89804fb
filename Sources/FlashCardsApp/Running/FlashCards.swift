import Foundation
package import Lineage
package import LineageTerminal

/// The application: it opens the store, gives keys to the screen in front, and draws frames.
package final class FlashCards: Application {
  private let options: Options
  private let restoration: Restoration
  private let trash = Trash()
  /// A sentence for the user with its style, until the next key.
  private var message = ("", Style.plain)
  /// The terminal; nil if a script runs.
  var terminal: Terminal?

  package init(_ options: Options) {
    self.options = options
    restoration = Restoration(in: options.state) {
      Kind("decks") { DecksScreen() }
      Kind("deck form") { DeckForm() }
      Kind("file") { FileScreen() }
      Kind("cards") { CardsScreen() }
      Kind("card form") { CardForm() }
      Kind("move") { MoveScreen() }
      Kind("study") { StudyScreen() }
      Kind("help") { HelpScreen() }
      ContextName.objects
    }
    super.init()
    provide(trash)
    onKey("?", "help", when: { !($0.front is HelpScreen || $0.front is StoreScreen) }) {
      try $0.front?.present(HelpScreen())
    }
    onKey("u", "undo", when: { !$0.trash.deletions.isEmpty }) {
      try $0.trash.putBack(into: $0.require(ObjectContext.self))
    }
    onKey(.control("t")) { app in
      try app.first.inspect(to: app.options.page)
      app.message = ("The tree is explained in \(app.options.page.path).", .bold)
    }
    onKey(.control("c")) { $0.terminate() }
    onKey(.control("z")) {
      $0.enterBackground()
      $0.terminal?.suspend()
    }
    on(Sentence.self) { $0.message = ($1.text, .bold) }
    on(StoreSaved.self) { [mailbox] _, _ in
      mailbox.post { ($0 as? FlashCards)?.restoration.saveChanges() }
    }
    onFailure { $0.show($1.error) }
    onChange(of: StoreOpening.self) { $0.follow($1.value?.phase) }
    onChange(of: ObjectContext.self) { [mailbox] _, context in
      context.value?.onError = { error in mailbox.post { _ = ($0 as? FlashCards)?.show(error) } }
    }
  }

  /// Runs the program in the terminal, until the user or the system ends it. The loop waits for the
  /// terminal and for letters, with which all else comes into the tree.
  func runInTerminal() async throws {
    let recording = try options.recording.map(Recording.init)
    if options.isPlain { provide(PlainLines()) }
    terminal = try Terminal(isPlain: options.isPlain)
    mailbox.onArrival(Terminal.wake)
    start()
    while let terminal, phase != .terminated {
      let frame = frame(terminal.size)
      terminal.show(frame)
      recording?.append(frame)
      terminal.wait().forEach(handle)
      drain()
    }
    await run()
    terminal?.close()
    recording?.end()
  }

  private func handle(_ event: Terminal.Event) {
    switch event {
    case .keys(let keys): keys.forEach(press)
    case .suspend: press(.control("z"))
    case .continued:
      terminal?.takeAgain()
      enterForeground()
    case .end: terminate()
    case .draw: break
    }
  }

  /// Brings back the screens of the last launch. The store opens meanwhile.
  package func start() {
    if options.isFresh { restoration.erase() }
    _ = expect(ObjectContext.self)
    task { app in
      try await Task.sleep(for: .seconds(app.options.slowStore))
      #if Postgres
      if let server = app.options.server {
        return app.openStore(PostgresOptions(server), [Deck.self, Card.self])
      }
      #endif
      app.openStore(at: app.options.cards, [Deck.self, Card.self])
    }
    // What could not be erased, because another process uses it, does not come back.
    if restoration.report.problems.isEmpty { launch(restoring: restoration) } else { launch() }
    if children.isEmpty { attempt { try append(DecksScreen()) } }
    message = (restoration.report.problems.first ?? "", .bad)
  }

  /// The responder that gets the keys first.
  private var first: Responder {
    let first = children.last as? StoreScreen ?? firstResponder ?? self
    // What was on top of a screen has left.
    return (first as? Screen)?.focus ?? first
  }

  /// The screen that the user sees.
  private var front: Screen? { first.chain.lazy.compactMap { $0 as? Screen }.first }

  /// Sends a key up the tree. What the screen in front does not take is for the application.
  package func press(_ key: Key) {
    message.0 = ""
    if !first.send(key).isHandled { send(key) }
  }

  /// Covers the screens as long as the store cannot be opened.
  private func follow(_ phase: StoreOpening.OpeningPhase?) {
    let cover = children.last as? StoreScreen
    if case .failed = phase, cover == nil { attempt { try append(StoreScreen()) } }
    if case .ready = phase { cover?.removeFromParent() }
  }

  /// Returns what the user sees.
  package func frame(_ size: (width: Int, height: Int)) -> Frame {
    var frame = Frame(width: size.width, height: size.height)
    guard let front else { return frame }
    frame.write(front.title, row: 0, column: 2, style: .bold)
    if case .pending = resolve(ObjectContext.self) {
      let phase = context(StoreOpening.self)?.phase
      let step = if case .migrating = phase { "\(phase, default: "")" } else { "" }
      frame.write("Opening the cards … \(step)", row: 1, column: 2, style: .dim)
    }
    front.draw(in: &frame, rows: 2..<max(2, size.height - 2))
    frame.write(message.0, row: size.height - 2, column: 2, style: message.1)
    var column = 2
    for offer in offers + first.offers where !offer.name.isEmpty && offer.isEnabled {
      // Letters are for the field.
      guard let key = offer.key, !(first is TextField && key.count == 1),
        column + key.count + offer.name.count < frame.width
      else { continue }
      column = frame.write(key, row: size.height - 1, column: column, style: .bold)
      column = frame.write(" \(offer.name)  ", row: size.height - 1, column: column, style: .dim)
    }
    return frame
  }

  private func show(_ error: any Error) -> ActionReply {
    let words = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
    message = (error is ContextError ? "The cards are not open yet." : words, .bad)
    return .handled
  }
}

import Foundation
import Lineage
import Terminal

/// The application: it opens the store, gives keys to the screen in front, and draws frames.
final class FlashCards: Application {
  private let options: Options
  private let restoration: Restoration
  /// A sentence for the user, until the next key.
  private var message = ""
  private var needsFrame = false
  /// The terminal; nil if a script runs.
  var terminal: Terminal?

  init(_ options: Options) {
    self.options = options
    restoration = Restoration(in: options.state) {
      Kind("decks") { DecksScreen() }
      Kind("deck form") { DeckForm() }
      Kind("cards") { CardsScreen() }
      Kind("card form") { CardForm() }
      Kind("study") { StudyScreen() }
      Kind("help") { HelpScreen() }
      ContextName.objects
    }
    super.init()
    provide(Trash())
    on(Key.self) { $0.handle($1) }
    on(Redraw.self) { application, _ in application.redraw() }
    onFailure { application, failure in
      application.message = sentence(about: failure.error)
      return .handled
    }
    onChange(of: StoreOpening.self) { $0.follow($1.value?.phase) }
  }

  /// Brings back the screens of the last launch. The store opens meanwhile.
  func start() {
    if options.isFresh { restoration.erase() }
    let (file, delay) = (options.cards, options.slowStore)
    openStore(at: file) { progress in
      if delay > 0 { try await Task.sleep(for: .seconds(delay)) }
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      return try await SQLiteStore.open(at: file, [Deck.self, Card.self], progress: progress)
        .makeContext()
    }
    launch(restoring: restoration)
  }

  override func didFinishLaunching() {
    if children.isEmpty { attempt { try append(DecksScreen()) } }
  }

  /// The screen that the user sees.
  private var front: Screen? {
    var screen = children.last as? Screen
    while let next = screen?.presented as? Screen { screen = next }
    return screen
  }

  /// Sends a key up the tree, from the view that has the focus.
  func press(_ key: Key) {
    message = ""
    (front?.focus ?? front ?? self).send(key)
    redraw()
  }

  /// Returns whether a key works on every screen.
  static func isGlobal(_ key: Key) -> Bool { key == "?" || key == .control("c") }

  private func handle(_ key: Key) {
    if key == .control("c") { terminate() }
    if key == "?" { attempt { try front?.present(HelpScreen()) } }
  }

  /// The phase of the opening, as long as the store is neither open nor refused.
  var opening: StoreOpening.OpeningPhase? {
    switch context(StoreOpening.self)?.phase {
    case .ready, .failed, nil: nil
    case let phase: phase
    }
  }

  /// Covers the screens as long as the store cannot be opened.
  private func follow(_ phase: StoreOpening.OpeningPhase?) {
    let cover = children.last as? StoreScreen
    if case .failed = phase, cover == nil { attempt { try append(StoreScreen()) } }
    if case .ready = phase { cover?.removeFromParent() }
    redraw()
  }

  /// Has one frame shown after all that happens in this turn.
  func redraw() {
    guard !needsFrame else { return }
    needsFrame = true
    mailbox.post { application in
      guard let application = application as? FlashCards else { return }
      application.needsFrame = false
      application.show()
    }
  }

  /// Returns what the user sees.
  func frame(width: Int, height: Int) -> Frame {
    var frame = Frame(width: width, height: height)
    guard let front else { return frame }
    frame.write(front.title, row: 0, column: 2, style: .bold)
    if let opening { frame.write("The cards: \(opening)", row: 1, column: 2, style: .dim) }
    front.draw(in: &frame, rows: 2..<max(2, height - 2))
    frame.write(message, row: height - 2, column: 2, style: .bad)
    var column = 2
    for (key, words, _) in front.bindings where !words.isEmpty {
      column = frame.write(key.name, row: height - 1, column: column, style: .bold)
      column = frame.write(" \(words)  ", row: height - 1, column: column, style: .dim)
    }
    return frame
  }
}

/// Returns a sentence for the user of the program.
private func sentence(about error: any Error) -> String {
  switch (error as? GraphError)?.reason {
  case .invalid(let objects):
    return "Not saved: \(objects.flatMap(\.problems).map { "\($0)" }.joined(separator: ", "))."
  case .notUnique(let entity, let properties, _):
    return "Not saved: another \(entity) has this \(properties.joined(separator: ", "))."
  case .conflict, .overtaken: return "Changed elsewhere at the same time. Save again to keep yours."
  case .full: return "Not saved: the disk is full."
  case .timeout: return "Not saved: another program is writing. Try again."
  case nil where error is ContextError: return "The cards are not open yet."
  case nil where error is Form.Gone: return "It was deleted meanwhile, here or by another program."
  default: return "\(error)"
  }
}

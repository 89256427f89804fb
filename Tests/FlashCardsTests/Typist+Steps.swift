import LineageTestSupport

/// The random steps. A step looks at the screen, and presses keys that mean something there.
extension Typist {
  private enum Keys {
    static let (up, down, right, left) = ("\u{1b}[A", "\u{1b}[B", "\u{1b}[C", "\u{1b}[D")
    static let (home, end, pageUp, pageDown) = ("\u{1b}[H", "\u{1b}[F", "\u{1b}[5~", "\u{1b}[6~")
    static let (escape, save, clear, backspace) = ("\u{1b}", "\u{13}", "\u{15}", "\u{7f}")
    static let moves = [up, down, home, end, pageUp, pageDown, down + down, down + down + down]
  }

  /// Uses the program for a number of seconds.
  func work(_ seconds: Double) {
    let end = Self.now + seconds
    while Self.now < end {
      step()
      wait(random.pick([0, 0.005, 0.02, 0.05, 0.1, 0.3]) * Double(random.below(100)) / 100)
    }
  }

  /// Types into the form of a card, and saves it. With `isAnswered`, also waits until the program shows
  /// that.
  func workAndSave(isAnswered: Bool) {
    for _ in 0..<12 where glimpse.kind != .cardForm {
      switch glimpse.kind {
      case .cards: press(random.chance(70) || glimpse.selected == nil ? "n" : "\r")
      case .decks: press("\r")
      default: press(Keys.escape)
      }
    }
    for _ in 0...random.below(4) {
      typeIntoCard()
      wait(Double(random.below(200)) / 1000)
    }
    if glimpse.kind == .cardForm { save(isAnswered: isAnswered) }
  }

  private func step() {
    let dice = random.below(20)
    switch glimpse.kind {
    case .decks:
      switch dice {
      case 0..<10: press("\r")
      case 10..<16: type(random.pick(Keys.moves))
      case 16..<18: press(random.pick(["s", "e", "n"]))
      default: press("?")
      }
    case .cards: stepInCards(dice)
    case .search:
      switch dice {
      case 0..<8: type(random.pick(["w", "o", "k", ".", "a", "1", "2"]))
      case 8..<12: type(random.pick([Keys.up, Keys.down, Keys.backspace]))
      case 12..<16: press("\r")
      default: press(Keys.escape)
      }
    case .cardForm:
      switch dice {
      case 0..<16: typeIntoCard()
      case 16..<18: save(isAnswered: true)
      default: press(Keys.escape)
      }
    case .deckForm:
      switch dice {
      case 0..<14: type(letters(1 + random.below(3)))
      case 14..<16: press(Keys.save) { glimpse.kind != .deckForm || !foot.message.isEmpty }
      default: press(Keys.escape)
      }
    case .move:
      switch dice {
      case 0..<8: type(random.pick([Keys.up, Keys.down]))
      case 8..<15: press("\r")
      default: press(Keys.escape)
      }
    case .question: press(dice < 15 ? " " : Keys.escape)
    case .answer: if dice < 17 { count(dice < 12 ? "r" : "w") } else { press(Keys.escape) }
    case .help, .other: press(Keys.escape)
    }
  }

  private func stepInCards(_ dice: Int) {
    switch dice {
    case 0..<5: type(random.pick(Keys.moves))
    case 5..<8: press("n")
    case 8..<11: press(glimpse.selected == nil ? "n" : "\r")
    case 11..<13: press("/")
    case 13: delete()
    case 14..<16: undo()
    case 16 where glimpse.selected != nil: press("m")
    case 17 where glimpse.selected != nil: press("s")
    case 18: press("?")
    default: press(Keys.escape)
    }
  }

  /// Returns letters of which no token is made.
  private func letters(_ count: Int) -> String {
    String((0..<count).map { _ in random.pick(Array("abcefghijlmnopqrstuvwxyzéñ")) })
  }

  // MARK: The form of a card

  private func typeIntoCard() {
    guard let card = glimpse.card else { return }
    let isInQuestion = glimpse.caret?.first == 2
    if Glimpse.token(in: card.question) == nil {
      // A kill has cut the token off, or the form is new.
      if !isInQuestion { press("\t") }
      if !card.question.isEmpty { press(Keys.clear) }
      let token = makeToken()
      type(token)
      for _ in 0..<400 where glimpse.text("Question") != token { wait(0.005) }
      return
    }
    let hasRoom = (isInQuestion ? card.question : card.answer).count < 40
    switch random.below(10) {
    case 0..<5 where hasRoom: type(letters(1 + random.below(4)))
    case 5 where hasRoom: type("\u{1b}[200~\(letters(5))\u{1b}[201~")
    case 6 where !isInQuestion:
      type(random.pick([Keys.left, Keys.right, Keys.home, Keys.end, Keys.left + Keys.left]))
    case 7 where !isInQuestion: type(random.pick([Keys.clear, Keys.backspace]))
    default: press("\t")
    }
  }

  private func save(isAnswered: Bool) {
    mark()
    guard var card = glimpse.card, let token = Glimpse.token(in: card.question) else { return }
    // Of a longer text, only a part would be shown.
    guard max(card.question.count, card.answer.count) < 60 else { return _ = press(Keys.escape) }
    card.asked = cards[token]?.asked ?? 0
    let change = Pending(token: token, card: card)
    guard isAnswered else {
      pending = change
      return type(Keys.save)
    }
    press(Keys.save, changing: change) { glimpse.kind != .cardForm || !foot.message.isEmpty }
    guard glimpse.kind != .cardForm else {
      // The card was deleted before a kill, and the form has come back.
      if !foot.message.isEmpty { pending = nil }
      return
    }
    (pending, cards[token], savedAt) = (nil, card, Self.now)
  }

  /// Types a letter that is not on the screen, and waits for it. Then all keys before it are answered.
  private func mark() {
    let text = terminal.screen.text
    guard let letter = "BCDEFGHJKLOPQRTUVWXYZ".first(where: { !text.contains($0) }) else { return }
    type(String(letter))
    for _ in 0..<400 where !terminal.screen.text.contains(letter) { wait(0.005) }
  }

  // MARK: Studying

  /// Says whether the answer was known, which the card counts.
  private func count(_ key: String) {
    let before = glimpse
    guard let token = before.lines.first.flatMap(Glimpse.token), var card = cards[token] else {
      return
    }
    card.asked += 1
    guard press(key, changing: Pending(token: token, card: card), until: { glimpse != before })
    else { return }
    (pending, cards[token], savedAt) = (nil, card, Self.now)
  }

  // MARK: Deleting

  private func delete() {
    // The help, which comes and leaves, shows that all keys before it are answered.
    guard press("?", until: { glimpse.kind == .help }),
      press(Keys.escape, until: { glimpse.kind == .cards }),
      let token = glimpse.selected, let card = cards[token]
    else { return }
    press("d", changing: Pending(token: token, card: nil)) { glimpse.selected != token }
    (pending, trash, cards[token]) = (nil, (token, card), nil)
  }

  private func undo() {
    guard let (token, card) = trash else { return }
    press("u", changing: Pending(token: token, card: card)) { !foot.keys.contains("u undo") }
    (pending, trash, cards[token]) = (nil, nil, card)
  }
}

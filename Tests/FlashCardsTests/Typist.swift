import Foundation
import LineageTestSupport

/// A user of `flashcards` who presses random keys, notes what is shown and when, and knows which cards
/// should be in the store.
final class Typist {
  /// Something that was shown, from a time on.
  struct Sight {
    let glimpse: Glimpse
    let time: Double
    /// The time of ``Typist/stalls`` then.
    let stalls: Double
  }

  /// The one change of the store that is not answered yet: a card, and its texts after the change.
  struct Pending {
    let token: String
    let card: SavedCard?
    /// The time at which the key was pressed.
    var since = Typist.now
  }

  let drawer: Drawer
  var random: SplitMix64
  private(set) var terminal: PseudoTerminal
  /// The screens that this launch has shown.
  private(set) var sights: [Sight] = []
  /// The cards that should be in the store, by their tokens.
  var cards: [String: SavedCard]
  var pending: Pending?
  /// The card that this launch has deleted last.
  var trash: (token: String, card: SavedCard)?
  /// The time at which a form, or the count of a studied card, was last seen to be saved.
  var savedAt: Double?
  private var tokens: Int
  /// The seconds by which the waits of this process were too long.
  private var lateness = 0.0
  /// The times in which the program owed the answer to a key that changes the store.
  private var debts: [Range<Double>] = []

  /// The system's clock, in seconds.
  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  /// Makes two decks with cards, and launches the program.
  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    drawer = try Drawer()
    // A deck gets the name of its file, with its token.
    let decks = [("d001.one", 1...24), ("d002.two", 25...30)].map { [drawer] name, numbers in
      (drawer.file(name + ".tsv"), numbers.map { "\(Self.token($0))word \($0)\tanswer \($0)" })
    }
    for (file, lines) in decks { try Data(lines.joined(separator: "\n").utf8).write(to: file) }
    let script = decks.map { "i\npaste \($0.0.path)\nenter\n" }.joined()
    _ = try FlashCards.run(script, in: drawer.url)
    tokens = decks.reduce(0) { $0 + $1.1.count }
    cards = try SavedCards(in: drawer.url).all.compactMapValues(\.first)
    terminal = try PseudoTerminal(["--data", drawer.url.path])
    listen()
    try settle()
  }

  private func listen() {
    (sights, debts, trash, savedAt, pending) = ([], [], nil, nil, nil)
    terminal.onShow = { [weak self] in self?.note() }
  }

  /// Returns a token that no card has.
  func makeToken() -> String {
    tokens += 1
    return Self.token(tokens)
  }

  private static func token(_ number: Int) -> String { String(format: "k%03d.", number) }

  // MARK: Looking

  /// The present screen.
  var glimpse: Glimpse { sights.last?.glimpse ?? Glimpse(terminal.screen) }

  /// The last two rows: a message, and the keys that can be pressed.
  var foot: (message: String, keys: String) {
    let rows = terminal.screen.text.split(separator: "\n", omittingEmptySubsequences: false)
    return (String(rows[22]), String(rows[23]))
  }

  private func note() {
    guard !terminal.screen.isCutOff else { return }
    let glimpse = Glimpse(terminal.screen)
    guard sights.last?.glimpse != glimpse else { return }
    sights.append(Sight(glimpse: glimpse, time: Self.now, stalls: stalls))
  }

  /// The seconds for which the machine has had no time for the program or for this process.
  private var stalls: Double { lateness + terminal.delay }

  /// Reads for a number of seconds.
  func wait(_ seconds: Double) {
    let end = Self.now + seconds
    while case let start = Self.now, start < end {
      let slice = CInt(min(5, ((end - start) * 1000).rounded(.up)))
      if terminal.readOnce(within: slice) { continue }
      lateness += max(0, Self.now - start - Double(slice) / 1000 - 0.002)
    }
  }

  /// Waits until the cards are open, and the program is silent for a while.
  func settle() throws {
    for _ in 0..<600 {
      let count = terminal.written.count
      wait(0.1)
      let text = terminal.screen.text
      if count == terminal.written.count, text.contains(#/\w/#), !text.contains("Opening the") {
        return
      }
    }
    throw Mishap("It does not come to rest:\n\(terminal.screen.text)")
  }

  // MARK: Typing

  /// Types without waiting for what the keys do.
  func type(_ keys: String) { terminal.type(keys) }

  /// Presses a key, and waits at most two seconds for what it does. Returns whether that happened.
  @discardableResult
  func press(_ key: String, changing change: Pending? = nil, until isDone: () -> Bool) -> Bool {
    // An escape and what follows it at once would be one key.
    wait(0.01)
    let start = Self.now
    pending = change
    type(key)
    while !isDone(), Self.now < start + (change == nil ? 2 : 20) { wait(0.005) }
    if let change { debts.append(change.since..<Self.now) }
    return isDone()
  }

  /// Presses a key, and waits until another screen, text or row is shown.
  @discardableResult
  func press(_ key: String) -> Bool {
    let before = glimpse
    return press(key) { glimpse != before }
  }

  // MARK: Killing

  /// Kills the program. Returns all that it has shown until then.
  func kill() -> Kill {
    let (stalls, time) = (stalls, Self.now)
    if let pending { debts.append(pending.since..<time) }
    terminal.end(by: SIGKILL)
    return Kill(
      time: time, stalls: stalls, sights: sights, debts: debts, pending: pending, savedAt: savedAt)
  }

  /// Launches the program, and kills it after a number of milliseconds.
  func killLaunch(after milliseconds: Int) throws {
    terminal = try PseudoTerminal(["--data", drawer.url.path])
    wait(Double(milliseconds) / 1000)
    terminal.end(by: SIGKILL)
  }

  /// Launches the program again, and waits until it has come to rest.
  func launch() throws {
    terminal = try PseudoTerminal(["--data", drawer.url.path])
    listen()
    try settle()
  }
}

/// The end of one launch.
struct Kill {
  let time: Double
  /// The time of ``Typist/stalls`` at the kill.
  let stalls: Double
  let sights: [Typist.Sight]
  let debts: [Range<Double>]
  let pending: Typist.Pending?
  let savedAt: Double?

  /// Returns how long ago something had ceased to be shown, and how much of that is not the program's
  /// fault. It is nil if it was never shown.
  func loss(of glimpse: Glimpse) -> (age: Double, excused: Double)? {
    guard let last = sights.lastIndex(where: { $0.glimpse == glimpse }) else { return nil }
    guard last + 1 < sights.count else { return (0, 0) }
    let next = sights[last + 1]
    let owed = debts.map { max(0, min($0.upperBound, time) - max($0.lowerBound, next.time)) }
    return (time - next.time, stalls - next.stalls + owed.reduce(0, +))
  }

  /// The seconds since the program has shown that a form or a count was saved; nil if it has not.
  var sinceSave: Double? { savedAt.map { time - $0 } }

  /// The end of what was shown, each with its time before the kill.
  var tail: String {
    sights.suffix(5).map { String(format: "%.3f s ", time - $0.time) + "\($0.glimpse)" }
      .joined(separator: "\n")
  }
}

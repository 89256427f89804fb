import Foundation
import LineageTestSupport
import Testing

@Suite("FlashCards, killed at any time", .hangGuard)
struct KillTests {
  /// Kills the program 16 times; with `LINEAGE_KILLS=200` in the environment, 200 times, which takes
  /// some minutes. `LINEAGE_SEED=7` chooses other keys and times.
  ///
  /// The age of a screen counts from the moment at which the test has read the one after it until the
  /// kill. What the machine has held up is subtracted: the time in which the program's threads were
  /// ready to run, but had no processor; that by which this process has woken too late; and that
  /// between a key that changes the store and its answer.
  @Test(
    "It returns to what was shown at most 0.3 s before, and what was seen to be saved is there once"
  )
  func kills() throws {
    let count = ProcessInfo.processInfo.environment["LINEAGE_KILLS"].flatMap { Int($0) }
    let seed = SplitMix64.seed(1)
    let typist = try Typist(seed: seed)
    var (ages, saves, clean) = ([Double](), 0, 0)
    for round in 0..<(count ?? (isSanitized ? 4 : 16)) {
      switch round % 8 {
      case 3, 7:
        typist.workAndSave(isAnswered: true)
        typist.wait(Double(typist.random.below(190)) / 1000)
      case 5:
        typist.workAndSave(isAnswered: false)
        typist.wait(Double(typist.random.below(30)) / 1000)
      default: typist.work(Double(typist.random.below(700)) / 1000)
      }
      let kill = typist.kill()
      let place = "LINEAGE_SEED=\(seed), kill \(round)"
      let committed = try checkStore(of: typist, kill, place)
      // A kill during the launch loses nothing more. Two of them would be strikes; see the crash guard.
      if round % 8 == 6 { try typist.killLaunch(after: typist.random.below(150)) }
      try typist.launch()
      let shown = typist.glimpse
      let story: Comment = "\(place): \(shown) after\n\(kill.tail)"
      if let committed, shown.kind != kill.sights.last?.glimpse.kind || shown.card == committed {
        // It returns to what the last key has led to, which was not shown any more: the screen below
        // the form, or the form with the texts that it has saved.
        ages.append(0)
        continue
      }
      let (age, excused) = try #require(kill.loss(of: shown), story)
      ages.append(age)
      #expect(age - excused <= (isSanitized ? 1 : 0.3), "\(age) s, \(story)")
      // What has led to a save does not come back.
      guard let sinceSave = kill.sinceSave else { continue }
      #expect(age < sinceSave, "saved \(sinceSave) s before, \(story)")
      if sinceSave < 0.2 { (saves, clean) = (saves + 1, clean + (age < sinceSave ? 1 : 0)) }
    }
    guard count != nil else { return }
    ages.sort()
    print(
      "LINEAGE_SEED=\(seed): \(ages.count) returned, the oldest loss was \(ages.last ?? 0) s, the median",
      "\(ages[ages.count / 2]) s; \(saves) kills soon after a save, \(clean) came back clean")
  }

  /// Checks that all cards that were seen to be saved are in the store once, with the texts that were
  /// shown. From then on, the typist knows what is there. Returns the card that was saved without an
  /// answer, with its texts only.
  private func checkStore(of typist: Typist, _ kill: Kill, _ place: String) throws -> SavedCard? {
    let saved = try SavedCards(in: typist.drawer.url).all
    for token in Set(saved.keys).union(typist.cards.keys).sorted() {
      let expected = typist.cards[token].map { [$0] } ?? []
      let found = saved[token] ?? []
      if let pending = kill.pending, pending.token == token {
        let changed = pending.card.map { [$0] } ?? []
        #expect(found == expected || found == changed, "\(place): \(token), \(kill.tail)")
      } else {
        #expect(found == expected, "\(place): \(token), \(kill.tail)")
      }
    }
    typist.cards = saved.compactMapValues(\.first)
    guard let pending = kill.pending, var card = pending.card, typist.cards[pending.token] == card
    else { return nil }
    card.asked = 0
    return card
  }
}

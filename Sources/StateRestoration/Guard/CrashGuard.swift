import Foundation
import LineageFiles
import ResponderChain

/// The guard by which the next launch learns in which record this process has crashed.
///
/// Its page is a small file that is mapped into memory. Before and after each call of the app's
/// code, the restoration writes the phase and the record into the page, by ``enter(_:_:path:)`` and
/// ``leave(to:)``. If the process ends during the call, the page still names both. The next launch
/// reads the page by ``begin(_:version:awaitsConfirmation:)``.
///
/// Without a page, all calls do nothing.
final class CrashGuard {
  private var page: MappedPage?
  /// The words of the page; nil if the guard is off. Exclusivity checking is off for speed
  /// (`guard`). This is safe because no access runs code of an app.
  @exclusivity(unchecked) @safe private var words: PageWords?
  /// The reason why the guard could not be turned on, as the end of a sentence; nil if there is
  /// none.
  private(set) var problem: String?
  /// Whether a launch has begun.
  private(set) var hasBegun = false
  /// Whether the success of the launch is noted. It is noted only once.
  private var hasSucceeded = false
  private var state = GuardState()
  /// The generation (serial number) of the archive with which this process was launched. Until a
  /// save gives the records other numbers, the page names a record by its number in that archive.
  /// Until then, the page needs no hash of the record's path.
  ///
  /// Exclusivity is not checked here and below. This is safe because no access runs code of an app.
  @exclusivity(unchecked) @safe private var firstGeneration: UInt64 = 0
  @exclusivity(unchecked) @safe private var generation: UInt64 = 0
  /// Whether the app must still confirm the launch.
  @exclusivity(unchecked) @safe private var awaitsConfirmation = false
  /// The function that returns the hash of a responder's path.
  var pathHash: ((Responder) -> UInt64)?
  /// The places that the page names while observers are called, one for each change of the current
  /// round. They are stored under the numbers of the changes. A change that was made for no record
  /// has no place.
  var origins: [Int: GuardedPlace] = [:]
  /// The phase and the record that the page named before observers were called for a change; nil
  /// outside such calls.
  var placeBeforeCall: GuardedPlace?

  /// The phase and the record that the page names, and the hash of the record's path.
  struct GuardedPlace {
    fileprivate(set) var word = GuardWord.idle
    fileprivate(set) var path: UInt64 = 0
    fileprivate var generation: UInt64 = 0

    /// The place that the page names while observers are called for a change that was made in this
    /// place. Nil if this place names no record.
    var asOrigin: GuardedPlace? {
      guard let (phase, record) = word.content, phase != .unconfirmed,
        record != GuardWord.noRecord || path != 0
      else { return nil }
      return GuardedPlace(word: GuardWord(.observing, record), path: path, generation: generation)
    }
  }

  /// Makes a guard that does nothing until it has a page.
  init() {}

  /// Opens the page, which is a file. If this fails, the guard does nothing and has a ``problem``.
  /// A page of a newer format is not overwritten.
  func open(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) {
    do {
      let known = try? InputFile(url, followsLinks: false, probe: probe)?
        .bytes(first: GuardPage.magic.count)
      if let known, GuardPage.laterFormat(of: known) != nil {
        problem = "a newer version of the program has written its page, and needs it"
        return
      }
      page = try MappedPage(url, probe: probe, isValid: GuardPage.isPage)
    } catch {
      problem = "\(error)"
    }
  }

  deinit { words?.word = GuardWord.idle.raw }

  /// Whether the guard is on.
  var isOn: Bool { words != nil }

  /// Whether objects are fetched before the values are decoded; see ``RecoveryPolicy/prefetches``.
  var prefetches: Bool { state.policy.prefetches }

  /// Whether the page needs the hashes of paths, because records may have other numbers than in the
  /// archive on the disk.
  var needsPaths: Bool { words != nil && generation != firstGeneration }

  /// Notes that code of the app is about to run for a record.
  @inline(__always)
  func enter(_ phase: RestorationPhase, _ record: UInt32 = GuardWord.noRecord, path: UInt64 = 0) {
    guard let words else { return }
    words.path = path
    words.word = GuardWord(phase, record).raw
  }

  /// Notes that a value of a record is about to be read. The caller must end the returned read.
  /// Returns nil if the guard is off.
  @inline(__always)
  func beginRead(_ record: UInt32, of responder: Responder) -> GuardedRead? {
    guard let words else { return nil }
    let read = GuardedRead(words)
    words.path = generation == firstGeneration ? 0 : pathHash?(responder) ?? 0
    words.word = GuardWord(.decoding, record).raw
    return read
  }

  /// Sets the page to the place in ``origins`` that belongs to a change. The observers of that
  /// change are called next.
  func enter(_ origin: GuardedPlace) { leaveNested(to: origin) }

  /// The phase and the record that the page names now.
  @inline(__always)
  var place: GuardedPlace {
    guard let words else { return GuardedPlace() }
    return GuardedPlace(
      word: GuardWord(raw: words.word), path: words.path,
      generation: generation)
  }

  /// Sets the page back to the phase and the record that the page named before
  /// ``enter(_:_:path:)``.
  @inline(__always)
  func leave(to place: GuardedPlace) {
    guard let words else { return }
    if place.word == .idle || place.word == .unconfirmed {
      words.word = restWord.raw
    } else {
      leaveNested(to: place)
    }
  }

  /// Sets the page back to the place of an outer call. If a save has given the records other
  /// numbers meanwhile, the page names the record only by its path.
  @inline(never)
  private func leaveNested(to place: GuardedPlace) {
    guard let (phase, record) = place.word.content else { return }
    enter(
      phase, place.generation == generation ? record : GuardWord.noRecord, path: place.path)
  }

  /// The word of the page while no code of the app runs for the restoration.
  private var restWord: GuardWord { awaitsConfirmation ? .unconfirmed : .idle }
}

extension CrashGuard {
  /// Begins a launch with an archive, and reads from the page how the last launch has ended.
  ///
  /// From then on, the page has the records in which launches have crashed, until
  /// ``forgetCulprits()`` is called.
  func begin(
    _ log: ArchiveLog, version: String, awaitsConfirmation: Bool, retriesQuarantined: Bool
  ) -> Recovery {
    hasBegun = true
    guard let page else { return Recovery() }
    self.awaitsConfirmation = awaitsConfirmation
    (firstGeneration, generation) = (log.generation, log.generation)
    let bytes = page.bytes
    state = GuardPage.state(in: bytes) ?? GuardState()
    let words = PageWords(of: page)
    let ending = LastEnding(
      word: GuardWord(raw: words.word), generation: words.generation,
      path: words.path, isCounted: words.launch < state.sequence)
    let recovery = Recovery(
      from: ending, &state, log, GuardState.cut(version), retriesQuarantined: retriesQuarantined)
    // The state is written before the word is cleared. If the process is killed in between, the
    // crash is not forgotten. It is not counted twice either, because the page then still has the
    // number of the earlier state.
    guard bytes.starts(with: GuardPage.magic) || page.write(GuardPage.magic, at: 0), writeState(),
      page.write(
        [GuardWord.idle.raw, log.generation, 0, state.sequence].flatMap { Self.bytes(of: $0) },
        at: GuardPage.wordOffset)
    else {
      problem = "its page could not be written"
      return recovery
    }
    guard page.canStore() else {
      problem = "there is no room on the disk for changes of its page"
      return recovery
    }
    words.word = restWord.raw
    self.words = words
    return recovery
  }

  /// Removes the crashed records from the page. This is called when the archive on the disk has
  /// them in quarantine, or when all archives were moved away.
  func forgetCulprits() {
    guard hasBegun, !state.culprits.isEmpty else { return }
    state.culprits = []
    write()
  }

  /// Notes that the launch has succeeded. Does nothing if the app must still confirm that.
  func noteSuccess() {
    if !awaitsConfirmation { noteGoodStart() }
  }

  /// Notes that the launch has succeeded, because the app has confirmed the launch or terminates.
  func confirm() {
    awaitsConfirmation = false
    if place.word == .unconfirmed { words?.word = restWord.raw }
    noteGoodStart()
  }

  /// Ends the use of the page, because the application terminates. The launch counts as a success.
  func close() {
    confirm()
    words?.word = GuardWord.idle.raw
    words = nil
    page = nil
  }

  /// Lets the next launch restore as little as this one, even if this one succeeds.
  func keepStep() { hasSucceeded = true }

  /// Ends the use of the page if its file was removed, for example with its folder. Returns whether
  /// the file was removed.
  func endIfRemoved() -> Bool {
    guard let page, !page.hasName else { return false }
    words = nil
    self.page = nil
    return true
  }

  private func noteGoodStart() {
    guard hasBegun, !hasSucceeded else { return }
    hasSucceeded = true
    let before = state.policy
    state.policy.noteGoodStart()
    if state.policy != before { write() }
  }

  /// Notes that a new archive gives the records other numbers.
  ///
  /// The closure gets the number of a record in the old archive, and returns the record's number in
  /// the new archive; nil if the record is not there.
  func renumber(
    from log: ArchiveLog, to generation: UInt64, _ number: (UInt32) -> UInt32?
  ) {
    self.generation = generation
    origins = [:]
    guard let words else { return }
    guard let (phase, record) = place.word.content, record != GuardWord.noRecord else {
      words.generation = generation
      return
    }
    let path = place.path == 0 ? CulpritSearch(in: log).path(of: record) : place.path
    // Until the last of these writes, the page names the record by its path.
    enter(phase, path: path)
    words.generation = generation
    enter(phase, number(record) ?? GuardWord.noRecord, path: path)
  }

  /// Turns the guard off if the disk may have too little free space for the page, and on again
  /// otherwise. After the launch, this is called before code of the app runs for a record.
  ///
  /// If this is called within another call of the app's code, it does nothing, because the page was
  /// changed just before that call.
  func checkRoom() {
    guard let page, hasBegun, problem == nil else { return }
    let word = place.word
    guard word == .idle || word == .unconfirmed else { return }
    guard page.canStore() else {
      guard isOn else { return }
      words = nil
      // With another word in the page, the next launch would find a crash.
      _ = page.write(Self.bytes(of: GuardWord.idle.raw), at: GuardPage.wordOffset)
      return
    }
    guard !isOn else { return }
    let words = PageWords(of: page)
    words.generation = generation
    words.word = restWord.raw
    self.words = words
  }

  /// Writes the state, and then the state's sequence number beside the word. If the two numbers
  /// differed, the next launch would take the word for a crash that was counted already.
  private func write() {
    guard writeState() else { return }
    _ = page?.write(Self.bytes(of: state.sequence), at: GuardPage.launchOffset)
  }

  /// Writes the state over the older of the two states in the page. Returns whether it was written.
  private func writeState() -> Bool {
    state.sequence += 1
    return page?.write(state.encoded, at: GuardPage.offset(of: state)) ?? false
  }

  /// Returns the bytes of a number, the lowest first.
  private static func bytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}

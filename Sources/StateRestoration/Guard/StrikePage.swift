package import Foundation
package import LineageFiles
import Synchronization

/// The crash guard: a page in memory that tells the next launch where this process has ended.
///
/// The page is a small file that is mapped into memory. Before code of the app runs for a record,
/// one store to this memory names the record; a second store follows the code. Stores survive
/// `kill -9`. A ``StrikeBook`` decides what the next launches leave out.
///
/// Without a usable page, the guard is off, and ``problem`` says why. All calls then do nothing.
///
/// If another program cuts the file, the guard goes off at the next ``check()``, ``during(_:_:)``
/// or change of the book. ``enter(_:)`` and ``leave(to:)`` do not look at the file, because that is
/// a system call. So one danger remains: if it is emptied after the last look, the store ends the
/// process.
///
/// The type is safe because the word of the page is used only while the page is retained.
@safe
package final class StrikePage {
  private var page: MappedPage?
  /// Whether the guard is on. Exclusivity is unchecked for speed (`guard`) here and below: no
  /// access runs code of an app.
  @exclusivity(unchecked) @safe package private(set) var isOn = false
  /// The word of ``page`` that names a place. It is used only while the guard is on.
  @exclusivity(unchecked) private var word: UnsafeMutablePointer<Atomic<UInt64>>?
  /// The innermost place that was entered.
  @exclusivity(unchecked) @safe package private(set) var place = StrikePlace.none
  /// The place that the page names while none is entered.
  @exclusivity(unchecked) @safe private var rest = StrikePlace.none
  /// Whether the launch has restored all that it does not leave out. Values may still wait.
  package internal(set) var hasRestoredAll = false
  /// The ends of launches, and the limits of the present one.
  package private(set) var book = StrikeBook(version: "")
  /// The reason why the page cannot be used, as the end of a sentence; nil if it can.
  private var fault: String?

  /// Makes a guard that is off.
  package init() {}

  /// Whether a place has strikes.
  var hasStrikes: Bool { !book.strikes.isEmpty }

  /// The reason why the guard is off, as the end of a sentence. Nil if the guard is on, or if it was
  /// never turned on.
  package var problem: String? {
    if let fault { return fault }
    return isOn || page == nil || book.launch == 0
      ? nil : "the disk has no room for changes of its page"
  }

  deinit { turnOff(nil) }

  /// Opens the page, and makes it if it is missing. A page of a newer format is not overwritten.
  package func open(_ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }) {
    do {
      let known = try InputFile(url, followsLinks: false, probe: probe)?.bytes(first: 16)
      if let known, FoundStrikes.laterFormat(of: known) != nil {
        fault = "a newer version of the program has written its page, and needs it"
      } else {
        page = try MappedPage(url, probe: probe, isValid: FoundStrikes.isPage)
      }
    } catch {
      fault = "\(error)"
    }
  }

  /// Counts the end of the last launch, begins a launch, and returns what it leaves out. If the
  /// launch has begun already, only returns that.
  @discardableResult
  package func begin(version: String, awaitsConfirmation: Bool) -> LaunchLimits {
    guard let page, book.launch == 0 else { return book.limits }
    rest = awaitsConfirmation ? .unconfirmed : .none
    let found = (try? page.read()).flatMap { FoundStrikes($0) }
    book = found?.book ?? StrikeBook(version: version, launch: found?.launch ?? 0)
    let isCertain = found?.isCertain ?? false && !page.hasReplaced
    book.begin(version: version, lastEnd: found?.lastEnd, isCertain: isCertain)
    // The book is written before the place. If the process is killed in between, the end is neither
    // forgotten nor counted twice.
    if found != nil, page.isWhole, page.write(FoundStrikes.magic, at: 0), writeBook(), write(rest) {
      check()
    } else {
      fault = Self.unwritten
    }
    // An end that is never counted would come back at each launch.
    if !isOn, found?.lastEnd != nil { book.limits.isCertain = false }
    return book.limits
  }

  /// Turns the guard off if its file was cut, or if the disk may have too little space for changes
  /// of the page. When there is space again, turns it on again.
  ///
  /// After the launch, this is called before code of the app runs for a record.
  package func check() {
    guard let page, book.launch > 0, fault == nil else { return }
    if !page.isWhole { return turnOff("another program has cut its page") }
    guard page.canStore() else { return turnOff(nil) }
    guard !isOn else { return }
    unsafe word = (page.start + FoundStrikes.placeOffset)
      .assumingMemoryBound(to: Atomic<UInt64>.self)
    isOn = true
    leave(to: place)
  }

  private func turnOff(_ fault: String?) {
    self.fault = fault ?? self.fault
    guard isOn else { return }
    isOn = false
    // With another place in the page, the next launch would count an end.
    if page?.isWhole ?? false { _ = write(.none) }
  }

  /// Ends the use of the page if its file was removed, for example with its folder. Returns whether
  /// the file was removed.
  package func endIfRemoved() -> Bool {
    guard let page, !page.hasName else { return false }
    (isOn, self.page) = (false, nil)
    return true
  }

  /// Notes that the application terminates, and ends the use of the page.
  package func close() {
    confirm()
    turnOff(nil)
    page = nil
  }

  private static let unwritten = "its page could not be written"

  /// Changes the book, and writes it if it has changed and the page can be written.
  package func change(_ body: (inout StrikeBook) -> Void) {
    let old = book
    body(&book)
    check()
    if book != old, page != nil, book.launch > 0, fault == nil, !writeBook() {
      turnOff(Self.unwritten)
    }
  }

  private func writeBook() -> Bool {
    let bytes = book.encoded
    return FoundStrikes.bookOffsets.allSatisfy { page?.write(bytes, at: $0) ?? false }
  }

  /// Writes a place and the number of the launch.
  private func write(_ place: StrikePlace) -> Bool {
    var bytes = ByteBuffer(capacity: 16)
    bytes.append(place.number)
    bytes.append(book.launch)
    return page?.write(bytes.bytes(from: 0), at: FoundStrikes.placeOffset) ?? false
  }
}

extension StrikePage {
  /// Notes that code of the app is about to run in a place. Returns the place that was entered
  /// before, for ``leave(to:)``.
  @discardableResult @inline(__always)
  package func enter(_ place: StrikePlace) -> StrikePlace {
    let outer = self.place
    leave(to: place)
    return outer
  }

  /// Notes that the code has come to its end, and that the process is in the outer place again.
  @inline(__always)
  package func leave(to outer: StrikePlace) {
    place = outer
    guard isOn else { return }
    let number = outer == .none ? rest.number : outer.number
    unsafe word?.pointee.store(number.littleEndian, ordering: .releasing)
  }

  /// Calls a closure of the app in a phase of the launch.
  package func during<Result>(
    _ phase: StrikePlace, _ body: () throws -> Result
  ) rethrows -> Result {
    check()
    let outer = enter(phase)
    defer {
      check()
      leave(to: outer)
      complete(phase)
    }
    return try body()
  }

  /// Notes that a place has come to its end. A record has come to its end when none of its values
  /// waits for a context or a read.
  package func complete(_ place: StrikePlace) {
    if hasStrikes { change { $0.complete { $0 == place } } }
  }

  /// Notes that all is restored that the launch does not leave out, and that
  /// ``Restoration/didDecode`` and ``Restoration/onReport`` have run.
  ///
  /// If the app has asked to restore less, this is not called. The closure gets records with
  /// strikes, and returns whether a value of the record still waits for a context or a read. If so,
  /// the call is repeated later; otherwise the record is complete.
  package func noteRestored(isWaiting: (StrikePlace) -> Bool) {
    if hasStrikes { change { $0.complete { $0.isRecord && !isWaiting($0) } } }
    hasRestoredAll = true
    noteGood()
  }

  /// Notes that the app has confirmed the launch.
  package func confirm() {
    rest = .none
    check()
    leave(to: place)
    complete(.unconfirmed)
    noteGood()
  }

  private func noteGood() {
    if hasRestoredAll, rest == .none, !book.isPending { change { $0.noteGood() } }
  }
}

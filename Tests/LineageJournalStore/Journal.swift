package import ObjectGraph

import Dispatch
import Foundation
import Synchronization

/// A log of commits in memory, kept as a server would keep it: several stores are made of it, and it
/// tells each of them by itself when another has committed.
package final class Journal: Sendable {
  /// A row as a commit left it; without values if it was deleted.
  package struct Change: Sendable {
    package let entity: Int
    package let id: Int64
    package let values: [StoredValue]?
  }

  /// The rows that one commit changed; the log only ever grows by them.
  package typealias Entry = [Change]

  private struct State {
    /// The entities and properties that all stores must have; nil until the first one has opened.
    var schema: [[String]]?
    var entries: [Entry] = []
    var nextAnswerIsLost = false
  }

  private struct WeakListener {
    weak let listener: Listener?
  }

  /// Called on the journal's own thread after each commit, as long as it lives.
  package final class Listener: Sendable {
    fileprivate let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }

  /// The id of each store that is made of the journal.
  let id = UUID().uuidString.lowercased()
  /// The time that reading a piece of the log takes.
  private let pause: Duration
  private let state = Mutex(State())
  /// Held for the whole of a commit.
  private let writing = Mutex(())
  private let listeners = Mutex<[WeakListener]>([])
  private let messenger = DispatchQueue(label: "Lineage.journal")
  private let trips = Atomic(0)

  package init(pause: Duration = .zero) { self.pause = pause }

  /// The number of questions and commits that went to the journal.
  package var tripCount: Int { trips.load(ordering: .relaxed) }

  /// Counts a question to the journal.
  func countTrip() { trips.add(1, ordering: .relaxed) }

  /// The commits so far.
  package var entryCount: Int { state.withLock { $0.entries.count } }

  /// Has the next commit stored, but its store not told so: the connection breaks meanwhile.
  package func loseNextAnswer() { state.withLock { $0.nextAnswerIsLost = true } }

  // MARK: For stores

  /// Gives the journal a schema, or compares it; nil if it has another.
  func take(_ schema: [[String]]) -> (isNew: Bool, entryCount: Int)? {
    state.withLock { state in
      let isNew = state.schema == nil
      guard isNew || state.schema == schema else { return nil }
      state.schema = schema
      return (isNew, state.entries.count)
    }
  }

  /// Reads some entries, slowly.
  func read(_ places: Range<Int>) -> ArraySlice<Entry> {
    countTrip()
    let (seconds, fraction) = pause.components
    Thread.sleep(forTimeInterval: Double(seconds) + Double(fraction) / 1e18)
    return state.withLock { $0.entries[places] }
  }

  /// Returns the entries from a place on.
  func entries(from place: Int) -> ArraySlice<Entry> {
    countTrip()
    return state.withLock { $0.entries[place...] }
  }

  /// Runs a closure while nobody else can commit.
  func exclusively(_ body: () throws -> Void) rethrows {
    try writing.withLock { _ in try body() }
  }

  /// Appends an entry, and tells the listeners; its store is the one that commits exclusively.
  ///
  /// - Returns: Whether the journal's answer arrived.
  func append(_ entry: Entry) -> Bool {
    countTrip()
    let hasArrived = state.withLock { state in
      state.entries.append(entry)
      defer { state.nextAnswerIsLost = false }
      return !state.nextAnswerIsLost
    }
    messenger.async { [self] in push() }
    return hasArrived
  }

  /// Calls a closure after each commit from now on, and once at first.
  func listen(_ call: @escaping @Sendable () -> Void) -> Listener {
    let listener = Listener(call)
    listeners.withLock { $0.append(WeakListener(listener: listener)) }
    messenger.async { [weak listener] in listener?.call() }
    return listener
  }

  private func push() {
    let living = listeners.withLock { listeners in
      listeners.removeAll { $0.listener == nil }
      return listeners.compactMap(\.listener)
    }
    for listener in living { listener.call() }
  }
}

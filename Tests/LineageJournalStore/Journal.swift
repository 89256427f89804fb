package import ObjectGraph

import Dispatch
import Foundation
import Synchronization

/// A log of commits in memory, which plays the part of a server for tests.
///
/// Several stores can be opened on one journal. After each commit, the journal calls the listeners
/// of all its stores, so that they need not poll.
package final class Journal: Sendable {
  /// A row that a commit changed, with its new values. `values` is nil if the commit deleted the
  /// row.
  package struct Change: Sendable {
    package let entity: Int
    package let id: Int64
    package let values: [StoredValue]?
  }

  /// The rows that one commit changed. The journal appends entries, and never removes them.
  package typealias Entry = [Change]

  private struct State {
    /// The schema that all stores share: the names of the entities and their properties. It is nil
    /// until the first store is opened.
    var schema: [[String]]?
    var entries: [Entry] = []
    var nextAnswerIsLost = false
    var receipts: [UUID: Receipt] = [:]
  }

  private struct WeakListener {
    weak let listener: Listener?
  }

  /// The registration of a closure, which the journal calls on its own queue after each commit. The
  /// registration ends when the listener is released.
  package final class Listener: Sendable {
    fileprivate let call: @Sendable () -> Void

    init(_ call: @escaping @Sendable () -> Void) { self.call = call }
  }

  /// The id that all stores on this journal share.
  let id = UUID().uuidString.lowercased()
  /// The time that each call of `read(_:)` waits.
  private let pause: Duration
  private let state = Mutex(State())
  /// The lock that a store holds during its whole commit.
  private let writing = Mutex(())
  private let listeners = Mutex<[WeakListener]>([])
  private let messenger = DispatchQueue(label: "Lineage.journal")
  private let trips = Atomic(0)

  package init(pause: Duration = .zero) { self.pause = pause }

  /// The number of requests to the journal, including commits.
  package var tripCount: Int { trips.load(ordering: .relaxed) }

  /// Counts a request to the journal.
  func countTrip() { trips.add(1, ordering: .relaxed) }

  /// The number of commits so far.
  package var entryCount: Int { state.withLock { $0.entries.count } }

  /// Makes the answer to the next commit get lost, as in a broken connection. The journal keeps the
  /// commit, but the store cannot know that.
  package func loseNextAnswer() { state.withLock { $0.nextAnswerIsLost = true } }

  // MARK: For stores

  /// Sets the journal's schema at the first call. Each later call compares its schema with that
  /// one.
  ///
  /// - Returns: Whether this is the first call, and the number of entries; nil if the schemas
  ///   differ.
  func take(_ schema: [[String]]) -> (isNew: Bool, entryCount: Int)? {
    state.withLock { state in
      let isNew = state.schema == nil
      guard isNew || state.schema == schema else { return nil }
      state.schema = schema
      return (isNew, state.entries.count)
    }
  }

  /// Waits for the time of `pause`, and then returns a range of entries.
  func read(_ places: Range<Int>) -> ArraySlice<Entry> {
    countTrip()
    let (seconds, fraction) = pause.components
    Thread.sleep(forTimeInterval: Double(seconds) + Double(fraction) / 1e18)
    return state.withLock { $0.entries[places] }
  }

  /// Returns the entry at an index and all later entries.
  func entries(from place: Int) -> ArraySlice<Entry> {
    countTrip()
    return state.withLock { $0.entries[place...] }
  }

  /// Runs a closure under the lock for commits. No other store can commit meanwhile.
  func exclusively(_ body: () throws -> Void) rethrows {
    try writing.withLock { _ in try body() }
  }

  /// Appends an entry and notifies the listeners.
  ///
  /// - Precondition: The call is inside the closure of `exclusively(_:)`.
  /// - Returns: Whether the store gets an answer. The entry is appended in both cases.
  func append(_ entry: Entry, _ receipts: [Receipt]) -> Bool {
    countTrip()
    let hasArrived = state.withLock { state in
      state.entries.append(entry)
      state.receipts.keep(receipts)
      defer { state.nextAnswerIsLost = false }
      return !state.nextAnswerIsLost
    }
    messenger.async { [self] in push() }
    return hasArrived
  }

  /// Returns the counts of the last receipts with some ids.
  func receipts(of ids: [UUID]) -> [UUID: Int64] {
    countTrip()
    return state.withLock { $0.receipts.counts(of: ids) }
  }

  /// Registers a closure that is called after each later commit. It is also called once soon after
  /// the registration.
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

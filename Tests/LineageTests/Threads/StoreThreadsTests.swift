import Dispatch
import Foundation
import Lineage
import LineageTestSupport
import Synchronization
import Testing

/// An actor whose code runs on a lane.
private actor Session {
  private let lane: StoreLane
  nonisolated var unownedExecutor: UnownedSerialExecutor { lane.asUnownedSerialExecutor() }
  private(set) var calls: [Int] = []
  private var isInside = false
  private let application = Application()
  private var token: ContextObservation?
  private var heard: [String] = []

  init(on threads: StoreThreads) { lane = threads.lane() }

  func call(_ number: Int) -> Bool {
    defer { isInside = false }
    let isAlone = !isInside
    isInside = true
    calls.append(number)
    return isAlone
  }

  /// Blocks the thread of the lane.
  func wait(for gate: DispatchSemaphore, telling begun: DispatchSemaphore) {
    begun.signal()
    gate.wait()
  }

  nonisolated func count() -> Int { assumeIsolated { $0.calls.count } }

  func countInside() -> Int { count() }

  // MARK: A tree

  /// Whether the tree's code has run on this lane only.
  private var isAtHome: Bool { lane.isIsolatingCurrentContext() == true }

  func observe() {
    token = application.observe(Note.self) { [weak self] _, resolution in
      self?.assumeIsolated { me in
        me.heard.append("\(me.isAtHome) \(resolution.value?.text ?? "nothing")")
      }
    }
  }

  func run() async { await application.run() }

  func expectLater() {
    let delivery = application.expect(Note.self)
    Task.detached { _ = delivery.deliver(Note(text: "late")) }
  }

  func wait() async throws -> String {
    let note = try await application.context(whenReady: Note.self)
    return "\(isAtHome) \(note.text)"
  }

  func work() async -> [String] {
    let done = Mutex<[String]>([])
    let screen = Controller()
    try? application.append(screen)
    let task = screen.task { [lane] screen in
      done.withLock { $0.append("\(lane.isIsolatingCurrentContext() == true)") }
      await Task.detached {}.value
      done.withLock { $0.append("\(lane.isIsolatingCurrentContext() == true)") }
    }
    await application.settle()
    _ = task
    return done.withLock { $0 }
  }

  var told: [String] { heard }
}

private struct Note: Context, Equatable, Sendable { let text: String }

@Suite("Threads that may wait", .hangGuard)
struct StoreThreadsTests {
  @Test("Waiting lanes take a thread each, and keep no task of the program from running")
  func waiting() async throws {
    let threads = StoreThreads(maximum: 8)
    let (gate, begun) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let sessions = (0..<20).map { _ in Session(on: threads) }
    #expect(threads.count == 0)
    await withTaskGroup { group in
      for session in sessions {
        group.addTask { await session.wait(for: gate, telling: begun) }
      }
      group.addTask {
        // This task runs although more lanes wait than there are processors.
        await Task.detached { for _ in 0..<8 { begun.wait() } }.value
        #expect(threads.count == 8)
        for _ in sessions { gate.signal() }
      }
    }
  }

  @Test("A lane runs one job at a time, in their order, and lanes take turns")
  func order() async {
    let threads = StoreThreads(maximum: 1)
    let (one, two) = (Session(on: threads), Session(on: threads))
    await withTaskGroup(of: Bool.self) { group in
      for number in 0..<1_000 {
        group.addTask { await (number.isMultiple(of: 2) ? one : two).call(number) }
      }
      for await isAlone in group { #expect(isAlone) }
    }
    #expect(await Set(one.calls) == Set(stride(from: 0, to: 1_000, by: 2)))
    #expect(await two.calls.count == 500)
    #expect(threads.count == 1)
  }

  @Test("A queue of lanes is first in, first out")
  func turns() {
    var turns = Turns<Int>()
    var (added, taken) = (0, 0)
    var random = SplitMix64(seed: 5)
    for _ in 0..<20_000 {
      if random.chance(52) {
        turns.add(added)
        added += 1
      } else if let next = turns.take() {
        #expect(next == taken)
        taken += 1
      } else {
        #expect(added == taken)
      }
      #expect(turns.isEmpty == (added == taken))
    }
  }

  @Test("Threads end when nobody has needed them for some time")
  func end() async {
    let threads = StoreThreads(maximum: 4, idleTime: .milliseconds(1))
    for number in 0..<50 {
      let session = Session(on: threads)
      #expect(await session.call(number))
      if number.isMultiple(of: 10) { while threads.count > 0 { await Task.yield() } }
    }
    while threads.count > 0 { await Task.yield() }
  }

  @Test("A lane knows whether it is the place of the running code")
  func isolation() async {
    let threads = StoreThreads(maximum: 2)
    let session = Session(on: threads)
    _ = await session.call(1)
    #expect(await session.countInside() == 1)
    #expect(threads.lane().isIsolatingCurrentContext() == false)
    await #expect(processExitsWith: .failure) {
      let session = Session(on: StoreThreads(maximum: 1))
      _ = session.count()
    }
  }

  @Test("A tree of an actor stays on the actor's lane: observers, tasks, waits and its loop")
  func tree() async throws {
    let session = Session(on: StoreThreads(maximum: 2))
    await session.observe()
    let running = Task { await session.run() }
    await session.expectLater()
    #expect(try await session.wait() == "true late")
    #expect(await session.work() == ["true", "true"])
    running.cancel()
    await running.value
    #expect(await session.told.allSatisfy { $0.hasPrefix("true") })
    #expect(await session.told.last == "true late")
  }

  @Test("A tree of a task lives on the lane that the task prefers")
  func task() async throws {
    let lane = StoreThreads(maximum: 2).lane()
    let places = try await Task.detached(executorPreference: lane) {
      let application = Application()
      var places = [lane.isIsolatingCurrentContext() == true]
      let delivery = application.expect(Note.self)
      Task.detached { _ = delivery.deliver(Note(text: "late")) }
      _ = try await application.context(whenReady: Note.self)
      places.append(lane.isIsolatingCurrentContext() == true)
      return places
    }.value
    #expect(places == [true, true])
  }
}

import Dispatch
import LineageTestSupport
import ObjectGraph
import Testing

@Suite("Long work has a thread of its own")
struct OwnThreadTests {
  @Test("It runs on no actor's thread, and returns to its caller's") @MainActor
  func mainActor() async {
    let isElsewhere = await onOwnThread { _ in
      dispatchPrecondition(condition: .notOnQueue(.main))
      return true
    }
    #expect(isElsewhere)
    dispatchPrecondition(condition: .onQueue(.main))
  }

  @Test("An actor goes on while its work waits", .hangGuard)
  func actor() async {
    actor Caller {
      let gate = DispatchSemaphore(value: 0)
      func wait() async { await onOwnThread { [gate] _ in gate.wait() } }
      func open() { gate.signal() }
    }
    let caller = Caller()
    async let waiting: Void = caller.wait()
    await caller.open()
    await waiting
  }

  @Test("Cancelling the caller's task tells the work")
  func cancelling() async {
    let task = Task {
      await onOwnThread { cancellation in
        while !cancellation.isCancelled {}
        return true
      }
    }
    task.cancel()
    #expect(await task.value)
  }
}

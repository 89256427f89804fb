/// Main-actor tasks that wait for a token, with the numbers of begun and of ended tasks.
@MainActor final class Crowd {
  private let count: Int
  private var begun = 0
  private var ended = 0
  private var sum = 0
  private var failures = 0
  private var finished: UnsafeContinuation<Void, Never>?

  init(_ count: Int, _ wait: @escaping @MainActor (Int) async throws -> Token?) {
    self.count = count
    for number in 0..<count {
      Task {
        // `wait` is on the same actor as this task. So no other task runs between this line and the
        // suspension in `wait`.
        begun += 1
        do { sum += try await wait(number).figure } catch { failures += 1 }
        end()
      }
    }
  }

  var answer: Answer { ["resumed": ended, "sum": sum, "failures": failures] }

  func untilAllWait() async {
    while begun < count { await Task.yield() }
  }

  func untilAllResumed() async {
    guard ended < count else { return }
    await withUnsafeContinuation { finished = $0 }
  }

  private func end() {
    ended += 1
    guard ended == count else { return }
    finished?.resume()
    finished = nil
  }
}

public import Foundation
public import ObjectGraph
public import ResponderChain
import Synchronization

extension Application {
  /// Opens a store of any kind with an async closure, and provides the root context that the
  /// closure returns.
  ///
  /// ```swift
  /// application.openStore(at: url) { progress in
  ///   try await SQLiteStore.open(at: url, [Card.self], progress: progress).makeContext()
  /// }
  /// ```
  ///
  /// The function returns at once, and the context is pending until the closure returns. Responders
  /// can resolve, observe or wait for `ObjectContext`. They can do the same with ``StoreOpening``,
  /// to show the progress that the closure reports. If the opening fails, the tree stays usable,
  /// and the action ``RetryOpening`` from any responder calls the closure again. Opening another
  /// store replaces the root context. Each branch then follows the new context or keeps the old
  /// one, as declared.
  ///
  /// With `restoring: .edits`, the unsaved changes of the root context itself come back after a kill;
  /// see <doc:UnfinishedEdits>.
  ///
  /// ``StoreOpening`` shows the location without the user and password in its URL.
  ///
  /// - Complexity: That of `provide(_:for:)`. The closure runs on another thread.
  public final func openStore(
    at location: URL, restoring contents: RestoredContents = .nothing,
    _ open:
      @escaping @Sendable (_ progress: @escaping @Sendable (OpeningProgress) -> Void) async throws
      -> sending ObjectContext,
    file: StaticString = #fileID, line: Int = #line
  ) {
    keepRoot(contents)
    let opener = StoreOpener(
      url: location.withoutCredentials, open: open, file: file, line: line)
    provide(opener, for: StoreOpener.OpenerKey.self, file: file, line: line)
    on(
      RetryOpening.self,
      { application, _ in
        // The action has an effect only after a failure. So a second action does not replace the
        // store that the first one has opened.
        guard case .failed = application.resolve(ObjectContext.self) else { return }
        application.context(StoreOpener.OpenerKey.self)?.start(in: application)
      }, file: file, line: line)
    opener.start(in: self)
  }
}

/// An opener that keeps the closure of `openStore(at:restoring:_:)`, to call it again after a failure.
private final class StoreOpener {
  enum OpenerKey: ContextKey { typealias Value = StoreOpener }

  typealias Open =
    @Sendable (@escaping @Sendable (OpeningProgress) -> Void) async throws -> sending ObjectContext

  private let url: URL
  private let open: Open
  /// The place of the call that has opened the store, which is the origin of all its slots.
  private let file: StaticString
  private let line: Int
  private var token: ContextObservation?
  /// The number of the current attempt among those of all openers. Progress with another number is
  /// from an earlier attempt, and is ignored.
  private var attempt = 0
  private static let attempts = Atomic(0)

  init(url: URL, open: @escaping Open, file: StaticString, line: Int) {
    (self.url, self.open, self.file, self.line) = (url, open, file, line)
  }

  func start(in application: Application) {
    attempt = Self.attempts.wrappingAdd(1, ordering: .relaxed).newValue
    let (attempt, open, mailbox) = (attempt, open, application.mailbox)
    application.batch {
      show(.waiting, in: application)
      // The task itself has the thread of the opening. Otherwise it would change threads twice more
      // (benchmark `open and deliver`).
      application.load(
        ObjectContext.self, on: OwnThread(),
        {
          try await open { progress in
            mailbox.post { application in
              guard let opener = application.context(OpenerKey.self) else { return }
              opener.show(progress, of: attempt, in: application)
            }
          }
        }, file, line)
    }
    // This is called in the round in which the context becomes ready or failed.
    token = application.observe(ObjectContext.self) { [weak self] application, resolution in
      guard let self else { return }
      switch resolution {
      case .value:
        // From now on, the root's changes are kept if they are to be restored.
        _ = application.keptRoot
        show(.ready, in: application)
      case .failed(let error):
        show(.failed("\(error)"), in: application)
      case .pending:
        // The context is pending. If the phase is `ready`, the context is expected again, for
        // example after a log-out. Otherwise an opening is under way, which reports its own phases.
        if application.context(StoreOpening.self)?.phase == .ready {
          show(.waiting, in: application)
        }
      case .missing, .blocked: try? application.withdraw(StoreOpening.self)
      }
    }
  }

  private func show(_ progress: OpeningProgress, of attempt: Int, in application: Application) {
    guard attempt == self.attempt, case .pending = application.resolve(ObjectContext.self) else {
      return
    }
    let phase: StoreOpening.OpeningPhase =
      progress.count > 1
      ? .migrating(step: progress.number, of: progress.count, progress.step) : .opening
    show(phase, in: application)
  }

  private func show(_ phase: StoreOpening.OpeningPhase, in application: Application) {
    application.provide(StoreOpening(url: url, phase: phase), file: file, line: line)
  }
}

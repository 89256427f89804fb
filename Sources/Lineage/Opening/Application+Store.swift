public import Foundation
public import ObjectGraph
public import ResponderChain
import Synchronization

extension Application {
  /// Opens a store of any kind elsewhere and provides the root context that a closure returns.
  ///
  /// ```swift
  /// application.openStore(at: url) { progress in
  ///   try await SQLiteStore.open(at: url, [Card.self], progress: progress).makeContext()
  /// }
  /// ```
  ///
  /// The context is pending until it is there. The application goes on at once; responders resolve,
  /// observe or wait for `ObjectContext`, and for ``StoreOpening`` if they want to show how far it is:
  /// the closure passes on the progress that it is told. A failed opening leaves the tree usable; the
  /// action ``RetryOpening``, sent from anywhere, calls the closure again. Opening another store
  /// replaces the root context: branches follow or are kept as they declare.
  ///
  /// ``StoreOpening`` shows the location without user and password.
  public final func openStore(
    at location: URL,
    _ open:
      @escaping @Sendable (_ progress: @escaping @Sendable (OpeningProgress) -> Void) async throws
      -> sending ObjectContext
  ) {
    let opener = StoreOpener(url: location.withoutCredentials, open: open)
    provide(opener, for: StoreOpener.Key.self)
    on(RetryOpening.self) { application, _ in
      // Only after a failure: a second one, sent in haste, does not close what the first has opened.
      guard case .failed = application.resolve(ObjectContext.self) else { return }
      application.context(StoreOpener.Key.self)?.start(in: application)
    }
    opener.start(in: self)
  }
}

/// The means to open the store, and again after a failure.
private final class StoreOpener {
  enum Key: ContextKey { typealias Value = StoreOpener }

  typealias Open =
    @Sendable (@escaping @Sendable (OpeningProgress) -> Void) async throws -> sending ObjectContext

  private let url: URL
  private let open: Open
  private var token: ContextObservation?
  /// Tells the progress of one attempt from that of an earlier one, also of another opener.
  private var attempt = 0
  private static let attempts = Atomic(0)

  init(url: URL, open: @escaping Open) {
    self.url = url
    self.open = open
  }

  func start(in application: Application) {
    attempt = Self.attempts.wrappingAdd(1, ordering: .relaxed).newValue
    let (attempt, open, mailbox) = (attempt, open, application.mailbox)
    application.batch {
      application.provide(StoreOpening(url: url, phase: .waiting))
      application.load(ObjectContext.self) {
        try await open { progress in
          mailbox.post { application in
            guard let opener = application.context(Key.self) else { return }
            opener.show(progress, of: attempt, in: application)
          }
        }
      }
    }
    // The context's own settling is the end of the opening, in the same round.
    token = application.observe(ObjectContext.self) { [url] application, resolution in
      switch resolution {
      case .value: application.provide(StoreOpening(url: url, phase: .ready))
      case .failed(let error):
        application.provide(StoreOpening(url: url, phase: .failed("\(error)")))
      case .pending:
        // Expected again, like at a log out; an opening that runs says more.
        if application.context(StoreOpening.self)?.phase == .ready {
          application.provide(StoreOpening(url: url, phase: .waiting))
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
    application.provide(StoreOpening(url: url, phase: phase))
  }
}

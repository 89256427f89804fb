public import Foundation
public import ResponderChain

/// The progress in opening the application's store, for a screen that shows this progress.
///
/// It is a context like any other, so responders can resolve and observe it.
///
/// ```swift
/// splash.onChange(of: StoreOpening.self) { splash, opening in splash.show(opening.value?.phase) }
/// ```
public struct StoreOpening: Context, Equatable, Sendable {
  /// The phase of the opening that is under way, or its result.
  public enum OpeningPhase: Equatable, Sendable {
    /// The opening has not reported any progress yet. This is also the phase when the context is
    /// expected without an opening, such as after a log-out.
    case waiting
    /// The store is being examined, made or checked.
    case opening
    /// A migration is running a step. The values are the step's number, the number of all steps,
    /// and the step's name.
    case migrating(step: Int, of: Int, String)
    /// The root context is available.
    case ready
    /// The opening failed. The value describes the error. The action ``RetryOpening`` tries again.
    case failed(String)
  }

  /// The location of the store, such as its file, without user and password.
  public let url: URL
  /// The phase of the opening that is under way, or its result.
  public let phase: OpeningPhase
}

/// The action that opens the application's store again after a failure.
///
/// ```swift
/// button.send(RetryOpening())
/// ```
public struct RetryOpening: Sendable {
  /// Creates the action.
  public init() {}
}

extension StoreOpening.OpeningPhase: CustomStringConvertible {
  /// The phase as a line of text for a screen.
  public var description: String {
    switch self {
    case .waiting: "waiting"
    case .opening: "opening"
    case .migrating(let step, let count, let name): "\(name) (\(step) of \(count))"
    case .ready: "ready"
    case .failed(let message): "failed: \(message)"
    }
  }
}

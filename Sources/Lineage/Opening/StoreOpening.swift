public import Foundation
public import ResponderChain

/// The point that the opening of the application's store has reached: a screen shows it until the
/// store is there.
///
/// It is a context like any other: responders resolve and observe it.
///
/// ```swift
/// splash.onChange(of: StoreOpening.self) { splash, opening in splash.show(opening.value?.phase) }
/// ```
public struct StoreOpening: Context, Equatable, Sendable {
  /// The part of the opening that is under way, or how it ended.
  public enum OpeningPhase: Equatable, Sendable {
    /// Nothing has been done yet.
    case waiting
    /// The store is looked at, made or checked.
    case opening
    /// One of several steps of a migration.
    case migrating(step: Int, of: Int, String)
    /// The root context is there.
    case ready
    /// There is no root context, and why. The action ``RetryOpening`` tries again.
    case failed(String)
  }

  /// Where the store is, such as its file; without user and password.
  public let url: URL
  /// The part of the opening that is under way, or how it ended.
  public let phase: OpeningPhase
}

/// The action that opens the application's store again, after it failed.
///
/// ```swift
/// button.send(RetryOpening())
/// ```
public struct RetryOpening: Sendable {
  /// A wish to try again.
  public init() {}
}

extension StoreOpening.OpeningPhase: CustomStringConvertible {
  /// The phase as a line on a screen.
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

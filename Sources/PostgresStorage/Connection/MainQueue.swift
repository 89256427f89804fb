#if Postgres
import Dispatch
import Foundation

/// The queue of the main actor.
enum MainQueue {
  private static let mark: DispatchSpecificKey<Bool> = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  /// Whether the calling function runs on the main actor, or on the main thread.
  ///
  /// On Linux, the main actor of a program that has waited once runs on any thread.
  static var isCurrent: Bool { Thread.isMainThread || DispatchQueue.getSpecific(key: mark) == true }
}
#endif

public import ResponderChain

/// An error on its way up the tree, to the nearest responder that handles errors.
public struct Failure {
  /// What was thrown.
  public let error: any Error
  /// Where it was thrown.
  public let origin: Responder
}

extension Responder {
  /// Does something that may throw; an error travels up the tree instead.
  ///
  /// ```swift
  /// editor.attempt { try context.save() }
  /// ```
  ///
  /// The nearest responder that handles failures hears of it; see ``Responding/onFailure(_:)``. If
  /// there is none, it is written to standard error.
  ///
  /// - Returns: the result, or nil after an error.
  @discardableResult
  public final func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      if !send(Failure(error: error, origin: self)).isHandled {
        ObjectContext.tell("\(path): \(error)")
      }
      return nil
    }
  }
}

extension Responding where Self: Responder {
  /// Handles, or declines, errors from here and below.
  public func onFailure(_ handle: @escaping (Self, Failure) -> ActionReply) {
    on(Failure.self, handle)
  }
}

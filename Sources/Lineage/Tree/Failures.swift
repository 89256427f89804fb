public import ResponderChain

/// An error on its way up the tree, to the nearest responder that handles errors.
///
/// It is sent as an action, so it can be declined or blocked like any other action.
public struct Failure {
  /// The error that was thrown.
  public let error: any Error
  /// The responder whose closure has thrown it.
  public let origin: Responder
}

extension Responder {
  /// Runs a closure, and sends a thrown error up the tree.
  ///
  /// ```swift
  /// editor.attempt { try context.save() }
  /// ```
  ///
  /// The nearest responder that handles failures gets the error; see ``Responding/onFailure(_:)``.
  /// If there is none, the error is written to standard error.
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
  /// Registers a closure that handles or declines errors of this responder and of those below it.
  public func onFailure(_ handle: @escaping (Self, Failure) -> ActionReply) {
    on(Failure.self, handle)
  }
}

/// An error that is sent up the tree, to the nearest responder that handles errors.
///
/// It is an action, so responders can handle, decline or block it like any other action.
public struct Failure {
  /// The error that was thrown.
  public let error: any Error
  /// The responder whose ``Responder/attempt(_:)``, offer or task has sent the error.
  public let origin: Responder
}

extension Responder {
  /// Runs a closure. If it throws, sends the error up the tree.
  ///
  /// ```swift
  /// editor.attempt { try context.save() }
  /// ```
  ///
  /// The nearest responder that handles failures gets the error; see ``Responding/onFailure(_:file:line:)``.
  /// If there is none, the error is written to standard error.
  ///
  /// - Returns: the closure's result; nil if the closure has thrown an error.
  /// - Complexity: That of the closure, and of `send(_:)` if the closure throws an error.
  @discardableResult
  public final func attempt<Result>(_ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      sendFailure(error)
      return nil
    }
  }

  /// Sends an error up the tree. If nobody handles it, or somebody stops it, it is written to standard
  /// error.
  final func sendFailure(_ error: any Error) {
    guard !send(Failure(error: error, origin: self)).isHandled else { return }
    var standardError = StandardError()
    print("Lineage: \(path): \(error)", to: &standardError)
  }
}

extension Responding where Self: Responder {
  /// Registers a closure that handles or declines the errors of this responder and of the
  /// responders below it.
  ///
  /// - Complexity: That of `provide(_:for:)`.
  public func onFailure(
    _ handle: @escaping (Self, Failure) -> ActionReply,
    file: StaticString = #fileID, line: Int = #line
  ) {
    on(Failure.self, handle, file: file, line: line)
  }
}

/// An error of bytes that cannot be read as they should, though they may be exactly the bytes that
/// were written.
@usableFromInline
package struct ByteError: Error, Equatable, CustomStringConvertible {
  /// The position at which the reader found the problem, in bytes from the first one.
  package let position: Int
  /// The problem at that position.
  package let problem: Problem

  @usableFromInline
  init(_ problem: Problem, at position: Int) {
    self.problem = problem
    self.position = position
  }

  /// A kind of problem with bytes.
  @usableFromInline
  package enum Problem: Sendable {
    /// Fewer bytes are left than the value needs.
    case endsEarly
    /// A length takes more bytes than any length that a writer writes.
    case absurdLength
  }

  /// The problem and its position, as the end of a sentence about the bytes.
  @usableFromInline
  package var description: String {
    switch problem {
    case .endsEarly: "it ends in the middle of something at its byte \(position)"
    case .absurdLength: "a length at its byte \(position) is absurd"
    }
  }
}

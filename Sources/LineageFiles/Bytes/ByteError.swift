/// Bytes that are not what they should be, though they may be what was written.
@usableFromInline
package struct ByteError: Error, Equatable, CustomStringConvertible {
  /// The position at which the reader found it, in bytes from the first one.
  package let position: Int
  /// What is wrong there.
  package let problem: Problem

  @usableFromInline
  init(_ problem: Problem, at position: Int) {
    self.problem = problem
    self.position = position
  }

  /// What can be wrong with bytes.
  @usableFromInline
  package enum Problem: Sendable {
    /// Fewer bytes are left than what is read has.
    case endsEarly
    /// A length has more bytes than any length that a writer writes.
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

/// An error in reading bytes. The bytes are damaged, or they are undamaged but not the bytes that
/// the reader expects.
@usableFromInline
package struct ByteError: Error, Equatable, CustomStringConvertible {
  /// The position of the problem, in bytes from the first byte.
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
    /// A length is encoded in more bytes than a buffer ever writes.
    case absurdLength
  }

  /// The problem and its position, as the second part of a sentence about the bytes.
  @usableFromInline
  package var description: String {
    switch problem {
    case .endsEarly: "it ends in the middle of something at its byte \(position)"
    case .absurdLength: "a length at its byte \(position) is absurd"
    }
  }
}

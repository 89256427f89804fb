/// An error in reading bytes. The bytes are damaged, or they are undamaged but not the bytes that
/// the reader expects. The position counts from the first byte.
@usableFromInline
package enum ByteError: Error, Equatable, CustomStringConvertible {
  /// Fewer bytes are left than the value needs.
  case endsEarly(position: Int)
  /// A length is encoded in more bytes than a buffer ever writes.
  case absurdLength(position: Int)

  /// The problem and its position, as the second part of a sentence about the bytes.
  @usableFromInline
  package var description: String {
    switch self {
    case .endsEarly(let position): "it ends in the middle of something at its byte \(position)"
    case .absurdLength(let position): "a length at its byte \(position) is absurd"
    }
  }
}

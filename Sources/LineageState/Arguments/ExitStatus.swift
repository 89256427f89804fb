/// The exit status of the program. A greater status is worse.
package enum ExitStatus: Int32 {
  case good = 0
  /// Something is damaged.
  case damaged = 1
  /// Nothing can be used, something cannot be read, or the arguments are wrong.
  case unusable = 2
}

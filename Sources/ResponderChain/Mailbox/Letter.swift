/// An item in a mailbox. It is applied on the isolation of the mailbox's tree.
protocol Letter: Sendable {
  /// Whether the letter is for an application only. Such a letter is dropped when the application
  /// ends.
  var isAction: Bool { get }

  /// Applies the letter.
  ///
  /// `root` is the tree's application, or nil in a tree without one.
  func apply(from mailbox: Mailbox, to root: AnyObject?)
}

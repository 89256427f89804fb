/// Something that arrives in a mailbox, and is applied on the isolation of the mailbox's tree.
protocol Letter: Sendable {
  /// Whether the letter concerns an application only, and is dropped when the application is gone.
  var isAction: Bool { get }

  /// Does what the letter was posted for.
  ///
  /// `root` is the tree's application, or nil in a tree without one.
  func apply(from mailbox: Mailbox, to root: AnyObject?)
}

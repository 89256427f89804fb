import ResponderChain

extension Responder {
  /// The identifiers on the way from the application to the responder, in one line for messages;
  /// see ``PathLine``.
  var restorationPath: String {
    var line = PathLine()
    addPath(to: &line)
    return line.text ?? "the application"
  }

  /// Adds to a line the identifiers of the responder and of its ancestors, except the application.
  func addPath(to line: inout PathLine) {
    for responder in chain where !(responder is Application) {
      guard line.add(responder.mark?.identifier ?? "?") else { return }
    }
  }
}

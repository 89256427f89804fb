import ResponderChain

extension Responder {
  /// The identifiers on the way from the application to the responder, in one line for messages;
  /// see ``PathLine``.
  var restorationPath: String {
    let path = chain.lazy.filter { !($0 is Application) }
    return PathLine.text(path.map { ($0.mark?.identifier ?? "?", 0) })
  }
}

import LineageTestSupport
import ResponderChain
import StateRestoration

/// A controller with a value of its methods and one of a property, whose steps a test decides.
final class Scripted: Controller, StateRestoring, RestorationFinishing {
  var number = 0
  @Restorable("text") var text = "initial"
  var onEncode: ((StateEncoder) throws -> Void)?
  var onDecode: ((StateDecoder) throws -> Void)?
  var onFinish: (() -> Void)?
  private(set) var decoded = 0
  private(set) var finished = 0

  convenience init(_ identifier: String?, number: Int = 0) {
    self.init()
    restorationIdentifier = identifier
    self.number = number
  }

  /// The number and the text, which is read by this.
  var state: String { "\(number) \(text)" }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try onEncode?(coder)
    try coder.encode(number, for: "number")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    decoded += 1
    number = try coder.decode("number") ?? 0
    try onDecode?(coder)
  }

  func didFinishRestoring() {
    finished += 1
    onFinish?()
  }
}

extension Responder {
  /// The identifiers, numbers and texts of all scripted responders below, parents first.
  var scriptedStates: [String] {
    descendants.compactMap { responder in
      (responder as? Scripted).map { "\($0.restorationIdentifier ?? "-") \($0.state)" }
    }
  }
}

/// Returns a restoration that makes scripted controllers. Those named a, b and c have kinds of their
/// own.
func scriptedRestoration() -> Restoration {
  Restoration {
    Kind("scripted", Scripted.init)
    for name in ["a", "b", "c"] { Kind(name, Scripted.init) }
    ContextName("notes", Notebook.self)
  }
}

/// Returns an application that was launched with an archive, after a closure has prepared it.
func scriptedLaunch(
  _ archive: StateArchive?, _ restoration: Restoration = scriptedRestoration(),
  _ prepare: (Application) throws -> Void = { _ in }
) throws -> (Application, Restoration) {
  let app = Application()
  try prepare(app)
  app.launch(restoring: restoration, from: archive)
  return (app, restoration)
}

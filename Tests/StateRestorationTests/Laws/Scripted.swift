import LineageTestSupport
import ResponderChain
import StateRestoration

/// A controller whose encoding, decoding and finishing call closures of a test. The number is
/// encoded by its methods, and the text by a restorable property.
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

  /// The number and the text. Getting them reads the restorable property.
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

/// Returns a restoration with the kinds "scripted", "a", "b" and "c", which all make scripted
/// controllers.
func scriptedRestoration() -> Restoration {
  Restoration {
    Kind("scripted", Scripted.init)
    for name in ["a", "b", "c"] { Kind(name, Scripted.init) }
    ContextName("notes", Notebook.self)
  }
}

/// Creates an application, prepares it by a closure, and launches it with an archive. Returns the
/// application and its restoration.
func scriptedLaunch(
  _ archive: StateArchive?, _ restoration: Restoration = scriptedRestoration(),
  _ prepare: (Application) throws -> Void = { _ in }
) throws -> (Application, Restoration) {
  let app = Application()
  try prepare(app)
  app.launch(restoring: restoration, from: archive)
  return (app, restoration)
}

import ResponderChain
import StateRestoration

final class NoteController: Controller {
  @Restorable("text") var text = ""
}

final class NotesApp: Application {
  private let restoration: Restoration

  init(stateIn folder: StateFolder = .state(of: "notes")) {
    restoration = Restoration(in: folder) { Kind("note", NoteController.init) }
    super.init()
  }

  func start() { launch(restoring: restoration) }

  override func didFinishLaunching() {
    guard children.isEmpty else { return }  // restored
    let note = NoteController()
    note.restorationIdentifier = "note"
    try? append(note)
  }
}

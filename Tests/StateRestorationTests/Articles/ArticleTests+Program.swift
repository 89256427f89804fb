import Foundation
import ResponderChain
import StateRestoration

final class NoteController: Controller {
  @Restorable("text") var text = ""
}

final class NotesApp: Application {
  private let restoration = Restoration { Kind("note", NoteController.init) }
  private let file: URL

  init(stateIn file: URL) {
    self.file = file
    super.init()
  }

  func start() {
    let bytes = try? Data(contentsOf: file)
    launch(restoring: restoration, from: bytes.map { StateArchive(bytes: $0) })
  }

  override func didFinishLaunching() {
    guard children.isEmpty else { return }  // restored
    let note = NoteController()
    note.restorationIdentifier = "note"
    try? append(note)
  }

  override func didEnterBackground() { storeState() }
  override func willTerminate() { storeState() }

  private func storeState() {
    // A newer version of the program has written it, and will want it back.
    if case .newerFormat = restoration.report.archive.problem { return }
    do {
      try Data(restoration.archive(of: self).bytes).write(to: file, options: .atomic)
    } catch {
      print("The state was not stored: \(error)")
    }
  }
}

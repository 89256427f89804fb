import Foundation
import Lineage
import Terminal

extension FlashCards {
  /// Runs the program in the terminal, until the user or the system ends it.
  func runInTerminal() async throws {
    let mailbox = mailbox
    // The events come on another thread, and are handled here, like all letters.
    terminal = try Terminal { event in mailbox.post { ($0 as? FlashCards)?.handle(event) } }
    start()
    show()
    await run()
    terminal?.close()
  }

  /// Shows what there is to see in the terminal.
  func show() {
    guard let terminal else { return }
    let (width, height) = terminal.size
    terminal.show(frame(width: width, height: height))
  }

  private func handle(_ event: Terminal.Event) {
    switch event {
    case .key(let key): press(key)
    case .resized: redraw()
    case .suspend:
      enterBackground()
      terminal?.suspend()
    case .continued:
      terminal?.takeAgain()
      enterForeground()
      redraw()
    case .end: terminate()
    }
  }

  /// Presses the keys of a script, and prints the frames that it asks for: the first one before the
  /// store is open, the last one at the end.
  func run(_ script: Script) async {
    var (width, height) = (80, 24)
    func printFrame() { print(frame(width: width, height: height).text, terminator: "\n\n") }
    start()
    printFrame()
    await settle()
    for step in script.steps {
      switch step {
      case .press(let keys): keys.forEach(press)
      case .resize(let wide, let high): (width, height) = (wide, high)
      case .frame: printFrame()
      }
      await settle()
      if phase == .terminated { return }
    }
    printFrame()
    terminate()
  }

  /// Waits until the store is open or refused, and all letters are applied.
  private func settle() async {
    if opening != nil {
      for await _ in updates(of: StoreOpening.self) where opening == nil { break }
    }
    while drain() > 0 {}
  }
}

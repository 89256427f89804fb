import Foundation
import LineageFiles
import ResponderChain
import StateRestoration
import Synchronization

/// A program that tests run as another process on a state folder.
///
/// Usage: `LineageStateProbe command folder …`
@main
struct StateProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 3 else { return print("usage: LineageStateProbe command folder …") }
    let folder = URL(filePath: arguments[2])
    let number = arguments.count > 3 ? Int(arguments[3]) ?? 0 : 0
    switch arguments[1] {
    case "saves": try Saving.saves(folder, killedAt: number)
    case "busy": try Saving.busy(folder)
    case "hold": Saving.hold(folder)
    case "limited": try Saving.limited(folder, bytes: number)
    case "ordinary": try Saving.ordinary(folder)
    case "place": say(StateFolder.state(of: arguments[2]).url.path(percentEncoded: false))
    case "crashing": try Crashing.run(folder, Array(arguments.dropFirst(3)))
    case "striking": Striking.run(folder, in: StrikePlace(UInt64(number)))
    case "hostile": try Hostile.run(arguments[2])
    default: print("unknown command")
    }
  }

  /// Prints a line without buffering it.
  static func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}

/// A screen with a text.
final class ProbeScreen: Controller {
  @Restorable("text") var text = ""
  @Restorable("filler") var filler = ""
}

/// A clock without delays. It calls each closure immediately.
struct ProbeClock: SaveClock {
  var now: Date { Date(timeIntervalSinceReferenceDate: 700_000_000) }

  func after(_ seconds: Double, _ body: @escaping @Sendable () -> Void) { body() }
}

/// An application with one screen. Its state is kept in a folder.
struct ProbeWorld {
  let application = Application()
  let restoration: Restoration
  let screen: ProbeScreen

  init(
    _ folder: URL, probe: @escaping @Sendable (FileStep) -> Int32 = { _ in 0 }
  ) {
    restoration = Restoration(in: .at(folder), clock: ProbeClock(), probe: probe) {
      Kind("screen", ProbeScreen.init)
    }
    application.launch(restoring: restoration)
    if let restored = application.children.first as? ProbeScreen {
      screen = restored
    } else {
      screen = ProbeScreen()
      screen.restorationIdentifier = "screen"
      try? application.append(screen)
    }
  }

  /// Saves the changes, and waits until they are written.
  func saveChanges() {
    application.drain()
    restoration.finishWriting()
    application.drain()
  }
}

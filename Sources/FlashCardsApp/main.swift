import Foundation
import Terminal

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  let application = FlashCards(options)
  if options.wantsHelp {
    print(Options.help)
  } else if let script = try options.readScript() {
    await application.run(try Script(script))
  } else {
    try await application.runInTerminal()
  }
} catch {
  let words = (error as? Options.Mistake)?.problem ?? "\(error)"
  FileHandle.standardError.write(Data("flashcards: \(words)\n".utf8))
  exit(2)
}

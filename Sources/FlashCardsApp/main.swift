import Foundation

do {
  let options = try Options(CommandLine.arguments.dropFirst())
  let application = FlashCards(options)
  if let script = try options.readScript() {
    await application.run(try Script(script))
  } else {
    try await application.runInTerminal()
  }
} catch {
  let words = (error as? Options.Mistake)?.problem ?? "\(error)"
  FileHandle.standardError.write(Data("flashcards: \(words)\n".utf8))
  exit(2)
}

import Foundation
import Lineage

do {
  Responder.keepsOrigins = true  // for the inspector
  let options = try Options(CommandLine.arguments.dropFirst())
  if let files = options.movie {
    print(try Movie(files.flatMap(Recording.read)).svg())
  } else if let script = try options.readScript() {
    await FlashCards(options).run(try Script(script))
  } else {
    try await FlashCards(options).runInTerminal()
  }
} catch {
  FileHandle.standardError.write(Data("flashcards: \(error)\n".utf8))
  exit(error is Recording.Fault ? 1 : 2)
}

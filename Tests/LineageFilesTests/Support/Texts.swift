import Foundation
import LineageFiles

/// Replaces a file atomically by a file that contains the text.
func save(
  _ text: String, to url: URL, _ options: FileOptions = FileOptions(),
  probe: @escaping FileStep.Probe = { _ in 0 }
) throws(FileError) {
  let file = try AtomicFile(replacing: url, options, probe: probe)
  try file.write(Array(text.utf8).span, at: 0)
  try file.commit()
}

/// Returns the text of a file; nil if the file does not exist.
func text(of url: URL, followsLinks: Bool = true) throws -> String? {
  guard let file = try InputFile(url, followsLinks: followsLinks) else { return nil }
  return String(decoding: try file.bytes(), as: UTF8.self)
}

/// Returns the status of a file. For a link, it is the status of the link itself.
func status(of url: URL) throws -> stat {
  var status = stat()
  guard lstat(url.path, &status) == 0 else {
    throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: url.path])
  }
  return status
}

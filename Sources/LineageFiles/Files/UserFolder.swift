package import Foundation

/// The usual folders for the files of a program.
package enum UserFolder {
  /// Returns the folder of a program in the folder that an environment variable names, such as
  /// `XDG_STATE_HOME`.
  ///
  /// If the variable has no absolute path, the folder is at `path` in the user's home folder, or in
  /// Application Support on Apple's systems. The home folder is `$HOME`. If `HOME` has no absolute path,
  /// it is the one that the system has for the user.
  package static func url(of name: String, _ variable: String, or path: String) -> URL {
    precondition(
      !name.isEmpty && !name.contains { $0 == "/" || $0 == "\0" } && name != "." && name != "..",
      "\"\(name)\" is no name for the folder of an application.")
    return home(variable, path, ProcessInfo.processInfo.environment).appending(path: name)
  }

  private static func home(
    _ variable: String, _ path: String, _ environment: [String: String]
  ) -> URL {
    func folder(_ name: String) -> URL? {
      guard let path = environment[name], path.hasPrefix("/") else { return nil }
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    if let folder = folder(variable) { return folder }
    #if canImport(Darwin)
    return URL.applicationSupportDirectory
    #else
    return (folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser).appending(
      path: path)
    #endif
  }
}

public import Foundation
import LineageFiles

/// The folder in which one application keeps its state between two launches.
///
/// ```swift
/// let restoration = Restoration(in: .state(of: "flashcards")) { … }
/// ```
///
/// Only one process at a time writes to the folder. An article of this module lists its files.
public struct StateFolder: Sendable, Hashable {
  /// The location of the folder.
  public let url: URL

  /// Returns the folder at a location. If the folder is missing, the launch makes it with the mode
  /// 0700.
  ///
  /// All files in the folder belong to this library.
  public static func at(_ url: URL) -> StateFolder {
    precondition(url.isFileURL, "\(url) is no place for a StateFolder, because it names no file.")
    return StateFolder(url: url)
  }

  /// Returns the usual folder of an application's state: `$XDG_STATE_HOME/name`.
  ///
  /// If that variable has no absolute path, the folder is `~/.local/state/name`. On Apple's
  /// systems, it is `name` in Application Support instead. `~` is `$HOME`. If `HOME` has no
  /// absolute path, `~` is the home folder that the system has for the user. The name must not
  /// contain slashes.
  public static func state(of name: String) -> StateFolder {
    StateFolder(url: UserFolder.url(of: name, "XDG_STATE_HOME", or: ".local/state"))
  }

  /// The archive with which the last useful launch began; nil if none can be read.
  ///
  /// A launch is useful if it has found more than the application's own record. The archive has the
  /// state before that launch changed anything. A program can offer it, and restore it by
  /// ``Restoration/restore(_:into:)``.
  ///
  /// - Complexity: O(*n*) for *n* bytes of the archive. Each access reads the file again.
  public var archiveAtLaunch: StateArchive? {
    let tree = try? FolderFiles(self).tree(named: StateFileName.atLaunch)
    return tree?.findings.fault == nil ? tree?.archive : nil
  }
}

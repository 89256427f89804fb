public import Foundation
import LineageFiles
import ObjectGraph
public import ResponderChain

extension Responder {
  /// Writes a page that shows the whole tree of this responder, and what each responder finds under
  /// each key, and why.
  ///
  /// ```swift
  /// Responder.keepsOrigins = true                   // at the start, for files and lines
  /// try application.inspect(to: URL(filePath: "tree.html"))
  /// ```
  ///
  /// The page is one file, which a browser opens without a network. It shows this responder first.
  /// See <doc:Inspector>.
  ///
  /// The file is readable for its owner only, and replaces an older one when it is complete. It has
  /// the names of responders and contexts, and unsaved changes, but no property that is declared
  /// with `inState: false`. Values in slots are not in it, except the descriptions of contexts that
  /// can have children, and errors.
  ///
  /// - Throws: `GraphError`. The reason is `full`, `inputOutput` or `unsynced`.
  /// - Complexity: O(*k n* + *s* log *s*) for *k* keys, *n* responders and *s* slots. No child of a
  ///   branch is made.
  public final func inspect(to url: URL) throws {
    let page = try InspectorPage(TreeInspector.inspect(self, at: .now).tree).text
    do throws(FileError) {
      let file = try AtomicFile(replacing: url, FileOptions(mode: 0o600))
      try file.write(Array(page.utf8).span, at: 0)
      try file.commit()
    } catch {
      throw GraphError("write the page \(url.path(percentEncoded: false))", error)
    }
  }
  /// The number of responders and slots that are visited for the page. Tests check this number.
  package final var inspectionVisits: Int { TreeInspector.inspect(self, at: .now).visits }
}

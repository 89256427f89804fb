import Foundation

/// The page of an inspector: the data of a tree, with the script that shows it.
///
/// The script makes all elements and texts by functions of the DOM, so that no text of a program is
/// read as HTML. In case that this should fail, the page allows no script but its own, and no
/// network.
struct InspectorPage {
  let text: String

  /// Creates the page of a tree.
  init(_ tree: InspectedTree) throws {
    let nonce = UUID().uuidString
    text = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
      style-src 'nonce-\(nonce)'; script-src 'nonce-\(nonce)'; base-uri 'none'; form-action 'none'">
      <title>Lineage</title>
      <style nonce="\(nonce)">
      \(Self.style)
      </style>
      </head>
      <body>
      <noscript>This page needs JavaScript.</noscript>
      <script type="application/json" id="data">\(try Self.json(tree))</script>
      <script nonce="\(nonce)">
      \(Self.script)
      </script>
      </body>
      </html>

      """
  }

  /// Returns the tree as JSON that can stand in an element of HTML. It has no `<`, so that it does
  /// not end the element.
  static func json(_ tree: InspectedTree) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return String(decoding: try encoder.encode(tree), as: UTF8.self)
      .replacingOccurrences(of: "<", with: "\\u003c")
  }
}

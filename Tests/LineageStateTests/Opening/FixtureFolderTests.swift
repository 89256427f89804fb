import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The tool reads folders of earlier versions")
struct FixtureFolderTests {
  /// Returns what the tool says of a version's files.
  private static func show(_ files: [String: String]) throws -> ToolResult {
    let drawer = try Drawer()
    for (name, text) in files {
      var bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
      // The constant has the guard's page without the zeros at its end.
      if name == "guard" { bytes += Data(count: 4096 - bytes.count) }
      try drawer.write([UInt8](bytes), name)
    }
    return runTool("show", drawer.url.path)
  }

  @Test("The format of the first version is named")
  func version1() throws {
    let result = try Self.show(FixtureFolder.version1)
    #expect(result.status == 2)
    #expect(result.output.contains("state-0: byte 0: The archive has format 1, which an older"))
  }

  @Test("The files of the third version are good, and have what the app has said")
  func version3() throws {
    let result = try Self.show(FixtureFolder.version3)
    #expect(result.status == 0)
    for text in [
      "state-0: 6 records",
      "note: \"note of bad\"", "draft: \"draft of lost\"", "draft: \"draft of twin\"", "Launch 1, ",
      "Launch 2, ", "version 1.0 of the app",
    ] {
      #expect(result.output.contains(text), "\(text)\n\(result.output)")
    }
  }
}

import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The tool reads folders of earlier versions")
struct FixtureFolderTests {
  @Test("The files of the first version are good, and have what the app has said")
  func version1() throws {
    let drawer = try Drawer()
    // The page of the crash guard has another format now.
    for (name, text) in FixtureFolder.version1 where name != "guard" {
      let bytes = try #require(Data(base64Encoded: text, options: .ignoreUnknownCharacters))
      try drawer.write([UInt8](bytes), name)
    }
    let result = runTool("show", drawer.url.path)
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

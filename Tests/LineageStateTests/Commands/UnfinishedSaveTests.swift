import Foundation
import LineageTestSupport
import StateRestoration
import Testing

@Suite("A last save that was not finished is no damage")
struct UnfinishedSaveTests {
  private let drawer: Drawer

  init() throws { drawer = try Drawer() }

  @Test("Cut at each byte behind the base, an archive is good, and verify says where it ends")
  func cuts() throws {
    let archives = try Samples.archives()
    let bytes = archives[3].bytes
    for count in archives[0].count...bytes.count {
      let path = try drawer.write(Array(bytes[..<count]))
      let result = runTool("verify", path)
      let last = try #require(archives.last { $0.count <= count }).count
      #expect(result.status == 0, "\(count): \(result.output)")
      #expect(result.lines[0].hasSuffix(": good"))
      let note = result.lines.dropFirst().first
      if last == count {
        #expect(note == nil)
      } else {
        let size = count - last == 1 ? "1 byte" : "\(count - last) bytes"
        #expect(
          note == "\(path): byte \(last): The last save was not finished. A launch uses what was "
            + "saved before. (\(size))", "\(count)")
      }
      for command in ["show", "export"] where count % 16 == 0 {
        #expect(runTool(command, path).status == 0)
      }
    }
  }

  @Test("A length that was changed before the end of a save is damage")
  func changed() throws {
    let archives = try Samples.archives()
    let bytes = archives[3].bytes
    for item in Forgery(bytes).items where item.position >= archives[0].count {
      for byte in 0..<4 {
        for bit in [0, 3, 7] {
          var damaged = bytes
          damaged[item.position + byte] ^= 1 << UInt8(bit)
          let result = runTool("verify", try drawer.write(damaged))
          #expect(result.status == 1, "\(item.position), \(byte), \(bit)")
        }
      }
    }
  }

  @Test("A changed byte in the base is damage, and an unfinished save is told beside it")
  func both() throws {
    let bytes = try Samples.archives()[3].bytes
    let item = try #require(Forgery(bytes).items.first { $0.type == 1 && $0.payload[0] == 3 })
    var damaged = Array(bytes.dropLast())
    damaged[item.position + 12] ^= 1
    let result = runTool("verify", try drawer.write(damaged))
    #expect(result.status == 1)
    #expect(result.output.contains("The last save was not finished."))
    #expect(result.output.contains("damaged: 1 fault."))
  }

  @Test("A folder whose newest file ends within a save is good, and is what a launch uses")
  func folder() throws {
    let archives = try Samples.archives()
    try drawer.write(archives[0].bytes, "state-0")
    try drawer.write(Array(archives[2].bytes.dropLast(2)), "state-1")
    let result = runTool("verify", drawer.url.path)
    #expect(result.status == 0)
    #expect(result.lines.last == "The next launch uses state-1.")
    let state = FolderStorage(.at(drawer.url)).load(RestorationLimits())
    #expect(state.newest?.name == "state-1")
    #expect(state.newest?.archive.count == archives[1].count)
  }
}

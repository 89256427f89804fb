import Foundation
import LineageFiles
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The file of the guard page")
struct MappedPageTests {
  /// Calls the closure with the URL of a file in a new folder. The file, which does not exist yet,
  /// is for a page.
  private static func withPlace(_ body: (URL) throws -> Void) throws {
    let drawer = try Drawer()
    try body(drawer.file("guard"))
  }

  private static func page(
    _ url: URL, probe: @escaping FileStep.Probe = { _ in 0 }
  ) throws -> MappedPage {
    try MappedPage(url, probe: probe, isValid: FoundStrikes.isPage)
  }

  @Test("A page is made private and in full, and keeps what was stored")
  func making() throws {
    try Self.withPlace { url in
      do {
        let page = try Self.page(url)
        page.store(FoundStrikes.magic, at: 0)
        page.store([1, 2, 3], at: 600)
        // Another process would also see these bytes before the page is closed.
        #expect(try [UInt8](Data(contentsOf: url))[600..<603] == [1, 2, 3])
      }
      var status = stat()
      #expect(stat(url.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600)
      #expect(status.st_size == MappedPage.size)
      #expect(Int(status.st_blocks) * 512 >= MappedPage.size)
      let again = try Self.page(url)
      #expect(again.bytes[600..<603] == [1, 2, 3])
      #expect(again.canStore())
    }
  }

  @Test("Short, long, empty, foreign and sparse files become a page")
  func otherFiles() throws {
    for count in [0, 1, 15, 16, 4095, 4097, 100_000] {
      try Self.withPlace { url in
        try Data(repeating: 7, count: count).write(to: url)
        let made = try Self.page(url)
        #expect(made.bytes.allSatisfy { $0 == 0 })
      }
    }
    try Self.withPlace { url in
      try Data(repeating: 7, count: MappedPage.size).write(to: url)
      let made = try Self.page(url)
      #expect(made.bytes.allSatisfy { $0 == 0 })
    }
    try Self.withPlace { url in
      // The bytes of a sparse page are kept.
      let file = open(url.path, O_CREAT | O_RDWR, 0o600)
      defer { close(file) }
      #expect(ftruncate(file, off_t(MappedPage.size)) == 0)
      let made = try Self.page(url)
      #expect(made.bytes.allSatisfy { $0 == 0 })
      var status = stat()
      #expect(stat(url.path, &status) == 0)
      #expect(Int(status.st_blocks) * 512 >= MappedPage.size)
    }
  }

  @Test("A page that may not be written is replaced")
  func readOnly() throws {
    try Self.withPlace { url in
      do {
        let page = try Self.page(url)
        page.store(FoundStrikes.magic, at: 0)
      }
      #expect(chmod(url.path, 0o400) == 0)
      // Root may write it nevertheless.
      let page = try Self.page(url)
      page.store([9], at: 700)
      #expect(page.bytes[700] == 9)
    }
  }

  @Test("A link, folder, FIFO or socket in the page's place is refused at once", arguments: 0..<4)
  func obstacles(_ number: Int) throws {
    try Self.withPlace { url in
      switch number {
      case 0:
        try Data(repeating: 0, count: 4096).write(to: url.appendingPathExtension("other"))
        symlink(url.path + ".other", url.path)
      case 1: mkdir(url.path, 0o700)
      case 2: mkfifo(url.path, 0o600)
      default:
        let name = url.lastPathComponent
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(url.path.utf8)
        try #require(path.count < 100, "\(name) has a long path.")
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let result = withUnsafePointer(to: &address) {
          $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
          }
        }
        #expect(result == 0)
      }
      var before = stat()
      #expect(lstat(url.path, &before) == 0)
      do {
        _ = try Self.page(url)
        Issue.record("The page was opened.")
      } catch let error as FileError {
        #expect(error.reason == .notRegularFile)
      }
      var after = stat()
      #expect(lstat(url.path, &after) == 0)
      #expect(before.st_ino == after.st_ino)
    }
  }

  @Test("Each failing step is an error, and no page is left half made")
  func failures() throws {
    for step in FileStep.replacing + [.open, .map] {
      for number in [ENOSPC, EIO, EACCES] {
        try Self.withPlace { url in
          #expect(throws: FileError.self, "\(step)") {
            _ = try Self.page(url) { $0 == step ? number : 0 }
          }
          if let bytes = try? Data(contentsOf: url) { #expect(bytes.count == MappedPage.size) }
          let made = try Self.page(url)
          #expect(made.bytes.allSatisfy { $0 == 0 })
        }
      }
    }
  }
}

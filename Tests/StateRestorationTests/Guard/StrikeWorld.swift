import Foundation
import LineageFiles
import LineageTestSupport
import StateRestoration

/// Launches of one program on a page in a new folder. All launches are in this process. A kill is
/// simulated: the next launch gets the bytes that the page had at that moment.
final class StrikeWorld {
  private let drawer: Drawer
  let url: URL
  /// The page of the present launch.
  private(set) var page = StrikePage()
  private(set) var limits = LaunchLimits()

  init() throws {
    drawer = try Drawer()
    url = drawer.file("guard")
  }

  /// The bytes of the page's file.
  var bytes: [UInt8] {
    get throws { [UInt8](try Data(contentsOf: url)) }
  }

  /// The content of the page's file.
  var found: FoundStrikes? {
    get throws { FoundStrikes(try bytes) }
  }

  /// Begins a launch. The previous one must have been ended.
  @discardableResult
  func launch(
    _ version: String = "1", awaits: Bool = false,
    probe: @escaping FileStep.Probe = { _ in 0 }
  ) -> LaunchLimits {
    page = StrikePage()
    page.open(url, probe: probe)
    limits = page.begin(version: version, awaitsConfirmation: awaits)
    return limits
  }

  /// Kills the process of the launch.
  func kill() throws {
    let bytes = try bytes
    // The object of the launch writes to its page no more.
    page.close()
    try replace(bytes)
  }

  /// Runs launches that are killed in the given records.
  func end(in records: Int...) throws {
    for record in records {
      launch()
      _ = page.enter(.test(record))
      try kill()
    }
  }

  /// Kills the process of the launch in a place.
  func kill(in place: StrikePlace) throws {
    if place != .unconfirmed { _ = page.enter(place) }
    try kill()
  }

  /// Overwrites the bytes of the page's file, without another file in its place.
  func replace(_ bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: url)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  /// Returns the mode of the page's file.
  var mode: mode_t {
    var status = stat()
    return stat(url.path, &status) == 0 ? status.st_mode & 0o777 : 0
  }
}

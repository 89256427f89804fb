import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("What is tried again on request")
struct RetriedPathTests {
  @Test("It is the record at the path, and no detached one below it")
  func detached() throws {
    let world = try GuardedWorld()
    var archive = try CulpritTests.archive(world)
    let crash = GuardedWorld.Crash("decode", "leaf-a")
    try world.crash(crash, from: archive)
    let launch = GuardedLaunch(world).run(archive)
    let (screen, leaf) = (launch.find("a"), launch.find("a", "leaf-a"))
    leaf?.removeFromParent()
    _ = launch.restoration.archive(of: launch.app)
    launch.restoration.retry(["a"])
    try screen?.append(try #require(leaf))
    #expect(leaf?.lazy.name == "leaf-a" && leaf?.number == 0)
    archive = launch.restoration.archive(of: launch.app)
    // The values that were read have cleared the strike, so one more end leaves out nothing.
    try world.crash(crash, from: archive)
    #expect(GuardedLaunch(world).run(archive).leftOut == [])
  }
}

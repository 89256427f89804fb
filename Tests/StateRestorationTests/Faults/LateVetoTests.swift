import LineageTestSupport
import ResponderChain
import StateRestoration
import Testing

@Suite("A veto of a record that was kept for later")
struct LateVetoTests {
  private func controller(_ identifier: String) -> Controller {
    let controller = Controller()
    controller.restorationIdentifier = identifier
    return controller
  }

  @Test("It removes the record from the next archive, as each other veto does")
  func veto() throws {
    let (first, outer) = (Application(), controller("outer"))
    try first.append(outer)
    try outer.append(controller("inner"))
    let archive = Restoration {}.archive(of: first)
    let (second, refusing) = (Application(), Restoration { Kind("inner") { _ in nil } })
    second.launch(restoring: refusing, from: archive)
    #expect(refusing.report.records.map(\.outcome) == [.restored, .carried, .carried])
    // A screen that is opened later gets its record, and the one below that is refused.
    try second.append(controller("outer"))
    #expect(refusing.report.records.map(\.outcome) == [.restored, .restored, .vetoed])
    let (third, restoration) = (Application(), Restoration { Kind("inner", Controller.init) })
    let present = controller("outer")
    try third.append(present)
    third.launch(restoring: restoration, from: refusing.archive(of: second))
    #expect(restoration.report.records.count == 2 && present.children.isEmpty)
  }
}

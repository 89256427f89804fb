import Foundation
import LineageFiles
import LineageTestSupport
import StateRestoration
import Testing

@Suite("The bytes of the guard page")
struct GuardPageTests {
  private static var state: GuardState {
    var state = GuardState()
    state.sequence = 7
    state.version = "2.1 β"
    state.policy.noteCrash(in: .asking, hasNewCulprit: false)
    state.policy.noteCrash(in: .decoding, hasNewCulprit: true)
    state.culprits = [
      Culprit(generation: 3, record: 12, path: 99, phase: .decoding, version: "2.1 β"),
      Culprit(generation: .max, record: .max, path: .max, phase: .creating, version: ""),
    ]
    return state
  }

  @Test("A state is read as it was written")
  func roundTrip() {
    #expect(GuardState(Self.state.encoded[...]) == Self.state)
    #expect(GuardState(GuardState().encoded[...]) == GuardState())
  }

  @Test("No cut and no changed byte of a state gives another state")
  func damage() {
    let bytes = Self.state.encoded
    for count in bytes.indices { #expect(GuardState(bytes[..<count]) == nil) }
    for index in bytes.indices {
      for value in UInt8.min...UInt8.max where value != bytes[index] {
        var changed = bytes
        changed[index] = value
        if let state = GuardState(changed[...]) {
          Issue.record("Byte \(index) as \(value) gave \(state).")
          return
        }
      }
    }
  }

  @Test("A long version is cut, and many culprits fit into the page")
  func limits() {
    var state = GuardState()
    state.version = String(repeating: "é", count: 500)
    state.culprits = (0..<100).map {
      Culprit(
        generation: .max, record: UInt32($0), path: .max, phase: .finishing,
        version: String(repeating: "👩‍👩‍👧", count: 50))
    }
    #expect(state.encoded.count <= GuardPage.stateRoom)
    let read = GuardState(state.encoded[...])
    #expect(read?.culprits.map(\.record) == (92..<100).map { UInt32($0) })
    #expect(read?.version == GuardState.cut(state.version))
    #expect(GuardState.cut(state.version).utf8.count == 100)
    #expect(GuardState.cut("1.0") == "1.0")
  }

  @Test("A word names its phase and record, and no changed byte names others")
  func words() {
    for phase in RestorationPhase.allCases where phase != .idle {
      for record in [0, 1, 77, 65_536, UInt32.max - 1, .max] {
        let word = GuardWord(phase, record)
        #expect(word.content?.phase == phase)
        #expect(word.content?.record == record)
        for bit in 0..<64 {
          #expect(GuardWord(raw: word.raw ^ 1 << UInt64(bit)).content == nil)
        }
        for byte in 0..<8 {
          for value in UInt64(1)..<256 {
            #expect(GuardWord(raw: word.raw ^ value << UInt64(8 * byte)).content == nil)
          }
        }
      }
    }
    #expect(GuardWord.idle.content == nil)
  }

  @Test("Of two states the newer one counts, and a torn one leaves the other")
  func twoStates() {
    var bytes = [UInt8](repeating: 0, count: MappedPage.size)
    var state = Self.state
    for sequence in UInt64(1)...9 {
      state.sequence = sequence
      let offset = GuardPage.offset(of: state)
      let before = GuardPage.state(in: bytes)
      let encoded = state.encoded
      for count in encoded.indices {
        var torn = bytes
        torn.replaceSubrange(offset..<offset + count, with: encoded[..<count])
        let read = GuardPage.state(in: torn)
        #expect(read == before || read == state)
      }
      bytes.replaceSubrange(offset..<offset + encoded.count, with: encoded)
      #expect(GuardPage.state(in: bytes) == state)
    }
  }
}

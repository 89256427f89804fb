import Foundation
import LineageFiles
import LineageTestSupport
import ResponderChain
import StateRestoration

/// A command that launches an app with a forged archive: `LineageStateProbe hostile case`.
///
/// The memory and the time of the process are limited, and the system ends the process at a limit.
/// The process prints the findings of the restoration, and the peak of its memory.
enum Hostile {
  /// A kind of forged archive. Most kinds damage the record "victim", which is between two good
  /// records.
  enum Attack: String, CaseIterable {
    case deepArrays, deepDictionaries, deepOptionals, deepReferences, hugeLengths, announcedValues
    case fewValues, manyNeeds, manySlots, manyNames, farParents
    case manyRecords, manyReferences, longIdentifiers, longPaths, wideArray, manyKeys, extremeHeader
    case hugeItem, hugePath
    case paddedKeys, deepParts
  }

  static func run(_ name: String) throws {
    guard let attack = Attack(rawValue: name) else { return StateProbe.say("unknown attack") }
    let bytes = archive(attack)
    StateProbe.say("bytes \(bytes.count)")
    limit()
    resetPeak()
    let before = peak()
    let (application, restoration) = launch(StateArchive(bytes: bytes))
    tell(application, restoration)
    // The restored state can be saved and restored again within the same limits.
    for save in [
      restoration.archive(of: application, asksAll: false), restoration.archive(of: application),
    ] {
      let (again, next) = launch(save)
      StateProbe.say("again \(siblings(again)) \(next.report.archive.fault == nil)")
    }
    StateProbe.say("peak \(peak() - before)")
    StateProbe.say("ended")
  }

  private static func launch(_ archive: StateArchive) -> (Application, Restoration) {
    let application = Application()
    let restoration = Restoration {
      Kind("screen", ProbeScreen.init)
      Kind("victim", Victim.init)
      ContextName("notes", Notebook.self)
    }
    application.provide(Notebook("root"))
    application.launch(restoring: restoration, from: archive)
    return (application, restoration)
  }

  /// Limits the address space that the process can still allocate, and its processor time.
  private static func limit() {
    guard !isSanitized else { return }
    #if os(Linux)
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let size = pages.split(separator: " ").first.flatMap { Int($0) } ?? 0
    var memory = rlimit()
    memory.rlim_cur = rlim_t(size * 4096 + 700 << 20)
    memory.rlim_max = memory.rlim_cur
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &memory)
    var time = rlimit()
    time.rlim_cur = 30
    time.rlim_max = 30
    setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &time)
    #endif
  }

  /// Gives unused memory back to the system, and begins a new measurement of the peak of memory.
  private static func resetPeak() {
    #if os(Linux)
    typealias Trim = @convention(c) (Int) -> Int32
    if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
    #endif
  }

  /// Returns the peak of the process's memory since `resetPeak()`, in kilobytes.
  private static func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Returns the texts of the victim's siblings.
  private static func siblings(_ application: Application) -> String {
    application.children.compactMap { ($0 as? ProbeScreen)?.text }.joined(separator: ",")
  }

  private static func tell(_ application: Application, _ restoration: Restoration) {
    StateProbe.say("siblings \(siblings(application))")
    for case let victim as Victim in application.children {
      _ = victim.list
      _ = victim.next
      for error in victim.errors { StateProbe.say("error \(error.prefix(200))") }
    }
    let report = restoration.report
    if let problem = report.archive.fault { StateProbe.say("archive \(problem)") }
    for problem in report.problems.prefix(3) { StateProbe.say("problem \(problem.prefix(200))") }
    for note in report.notes.prefix(3) { StateProbe.say("note \(note.prefix(200))") }
    for outcome in RestorationReport.Outcome.allCases where report.count(outcome) > 0 {
      StateProbe.say("\(outcome.rawValue) \(report.count(outcome))")
    }
    if report.archive.damaged > 0 { StateProbe.say("items \(report.archive.damaged)") }
    if report.archive.unusedBytes > 0 { StateProbe.say("unused \(report.archive.unusedBytes)") }
  }
}

/// A controller that decodes the values of a forged record as many types, and records the errors.
private final class Victim: Controller, StateRestoring {
  @Restorable("list") var list: [[Int]] = []
  @Restorable("next") var next: Victim?
  @Restorable("pages") var pages: [ProbePage] = []
  var page: ProbePage?
  private(set) var errors: [String] = []

  func encodeRestorableState(with coder: StateEncoder) throws {}

  func decodeRestorableState(with coder: StateDecoder) throws {
    func read<Value: RestorableValue>(_ type: Value.Type, _ key: String) {
      do { _ = try coder.decode(StateKey<Value>(key)) } catch let error as StateError {
        errors.append("\(error)")
      } catch { errors.append("not typed: \(error)") }
    }
    read(JSON.self, "json")
    read([JSON].self, "json")
    read([String: JSON].self, "json")
    read([[Int]].self, "list")
    read([Int].self, "integers")
    read(Int??.self, "optional")
    read(String.self, "text")
    read(Data.self, "data")
    read(Set<String>.self, "set")
    read(URL.self, "url")
    read(Decimal.self, "decimal")
    do { try coder.whenReady("page", into: \.page, of: self) } catch { errors.append("\(error)") }
    if let text: Int = try coder.decode("number") { errors.append("not typed: \(text)") }
  }
}

/// A page of a notebook, which is stored as a reference.
private struct ProbePage: ContextualValue {
  let text: String

  func write(to writer: inout ValueWriter) throws {
    try writer.writeReference(text) { _, _ in true }
  }

  static func read(from reader: inout ValueReader) throws -> ProbePage {
    ProbePage(text: String(decoding: try reader.readReference().0, as: UTF8.self))
  }
}

/// A JSON value of any type.
private indirect enum JSON: Codable, RestorableValue {
  case null, bool(Bool), number(Int), text(String), array([JSON]), object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let values = try? container.decode([JSON].self) {
      self = .array(values)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .array(let values): try container.encode(values)
    case .object(let values): try container.encode(values)
    }
  }
}

extension Hostile {
  /// Returns an archive with three records below the application: "first", "victim" and "last". The
  /// attack may change the victim, and add records after these, the first with the index 4.
  private static func archive(_ attack: Attack) -> [UInt8] {
    func good(_ name: String) -> ForgedRecord {
      let text: [UInt8] = [7] + Forgery.text(name)
      return ForgedRecord(identifier: name, kind: "screen", values: [("text", text)])
    }
    var victim = ForgedRecord(identifier: "victim", kind: "victim")
    var others: [ForgedRecord] = []
    attack.forge(&victim, &others)
    let records = [ForgedRecord(role: 4), good("first"), victim, good("last")] + others
    let bytes = Forgery(header: Forgery.header(generation: 1), records.map(\.item)).bytes
    let size = [UInt8](repeating: 255, count: 4)
    return attack == .hugeItem ? bytes + size + [1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3] : bytes
  }
}

extension Hostile.Attack {
  private static let million = 1_000_000

  fileprivate func forge(
    _ victim: inout ForgedRecord, _ others: inout [ForgedRecord]
  ) {
    let huge: [UInt8] = [255, 255, 255, 255, 255, 255, 255, 255, 255, 1]
    switch self {
    case .deepArrays:
      victim.values = [
        ("json", ForgedValue.nested(Self.million, around: [0])),
        ("list", ForgedValue.nested(2_000, around: [3, 2])),
      ]
    case .deepDictionaries:
      victim.values = [("json", ForgedValue.nested(10_000, key: [0], around: [0]))]
    case .deepOptionals:
      let value = [UInt8](repeating: 17, count: Self.million) + [0]
      victim.values = [("optional", value), ("json", [17, 17, 0])]
    case .deepParts:
      victim.values = [
        ("page", [UInt8](repeating: 19, count: Self.million) + ForgedValue.reference("root#1")),
        ("pages", [19, 0] + [UInt8](repeating: 19, count: Self.million)),
      ]
      victim.needs = [1] + Forgery.text("notes")
    case .deepReferences:
      let value = ForgedValue.nested(50_000, around: ForgedValue.reference("root#1"))
      victim.values = [("pages", value), ("page", value)]
      victim.needs = [1] + Forgery.text("notes")
    case .hugeLengths:
      victim.values = [
        ("json", ForgedValue.container(12, [0, 0], count: 0xFFFF_FFFF, length: 0xFFFF_FFFF)),
        ("list", ForgedValue.container(12, [12, 14], count: 2)),
        ("integers", ForgedValue.container(14, [0], count: Self.million)),
        ("text", [7] + huge), ("data", [8] + huge), ("url", [11] + huge), ("decimal", [18] + huge),
        ("set", ForgedValue.container(12, [7], count: 1, length: 0x7FFF_FFFF)),
      ]
    case .announcedValues:
      victim.count = Self.million
      victim.entries = [0, 0]
    case .fewValues:
      victim.count = 6
      victim.entries = [0, 0]
    case .paddedKeys:
      // The length of each key has more bytes than it needs.
      victim.count = 40
      let length: [UInt8] = [0x83] + [UInt8](repeating: 0x80, count: 7) + [0]
      var entries: [UInt8] = []
      for number in 100..<140 {
        entries += length + Array("\(number)".utf8) + [1, 0, 0, 0, 0]
      }
      victim.entries = entries
    case .manyNeeds:
      victim.needs = Forgery.varint(Self.million) + [UInt8](repeating: 0, count: Self.million)
    case .manySlots:
      let count = 200_000
      let slot = Forgery.text("notes")
      victim.slots = Forgery.varint(count)
      victim.slots.reserveCapacity(count * 7)
      for number in 0..<count { victim.slots += slot + [number.isMultiple(of: 2) ? 1 : 3] }
    case .manyNames:
      // Each reference names another context.
      let count = 60_000
      var content: [UInt8] = []
      for number in 0..<count { content += ForgedValue.reference("", "n\(number)") }
      victim.values = [("kept", ForgedValue.container(12, content, count: count))]
      victim.needs = [1] + Forgery.text("notes")
    case .farParents:
      for parent in [4, 5, 6, 999_999, 1_000_000, Int(UInt32.max) - 1, Int(UInt32.max)] {
        others.append(ForgedRecord(parent: parent, identifier: "far"))
      }
    case .manyRecords:
      others = Array(repeating: ForgedRecord(), count: 10_000)
    case .manyReferences:
      let count = 40_000
      var content: [UInt8] = []
      for _ in 0..<count { content += ForgedValue.reference("") }
      victim.values = [("pages", ForgedValue.container(12, content, count: count))]
      victim.needs = [1] + Forgery.text("notes")
    case .longIdentifiers:
      victim.identifier = String(repeating: "x", count: Self.million)
      addFailing(996, below: 2, &others)
    case .longPaths:
      for index in 4..<1_500 {
        let parent = index == 4 ? 2 : index - 1
        others.append(ForgedRecord(parent: parent, identifier: "deep", kind: "victim"))
      }
      addFailing(1_200, below: 1_499, &others)
    case .wideArray:
      let count = 20_000
      let nils = [UInt8](repeating: 0, count: count)
      victim.values = [("json", ForgedValue.container(12, nils + [99], count: count + 1))]
    case .manyKeys:
      for number in 0..<50_000 { victim.values.append(("\(number)", [0])) }
      victim.values.append(("text", [99]))
    case .extremeHeader:
      victim.version = .max
      victim.launches = huge + [UInt8](repeating: 255, count: 8) + [1]
    case .hugeItem: break
    case .hugePath:
      let steps = Forgery.varint(100_000) + [UInt8](repeating: 0, count: 200_000)
      let ordinal = [1] + Forgery.text("first") + huge
      victim.values = [
        ("next", [15] + Forgery.varint(steps.count) + steps),
        ("list", [15] + Forgery.varint(ordinal.count) + ordinal),
      ]
    }
  }

  /// Adds records that cannot be decoded completely. The report then names each of them.
  private func addFailing(_ count: Int, below parent: Int, _ others: inout [ForgedRecord]) {
    for number in 0..<count {
      let value: [UInt8] = [7] + Forgery.text("\(number)")
      others.append(
        ForgedRecord(
          parent: parent, identifier: "\(number)", kind: "victim", values: [("number", value)]))
    }
  }
}

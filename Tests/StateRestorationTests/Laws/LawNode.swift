import LineageTestSupport
import ResponderChain
import StateRestoration

/// The callbacks of one launch, in order.
final class LawEvents {
  enum Phase: Int { case make, link, decode, finish }

  var all: [(phase: Phase, node: ObjectIdentifier)] = []
  var isRecording = true

  func add(_ phase: Phase, _ node: AnyObject) {
    if isRecording { all.append((phase, ObjectIdentifier(node))) }
  }
}

/// The values of one responder of the law tests.
struct LawState: Equatable {
  /// A number that identifies the responder. The responder's methods encode it.
  var tag = 0
  /// A number that the responder's methods encode.
  var zoom = 0
  /// A text in a restorable property.
  var text = "d"
  /// A number in a restorable property.
  var number: Int?
  /// The number of a notebook's page, in a restorable property.
  var page: Int?
  /// The number of a notebook's page that the responder's methods encode.
  var mark: Int?
  /// A bookmark in a restorable property. Its number is there before its page.
  var place = LawPlace()
  /// A bookmark that the responder's methods encode.
  var spot = LawPlace()
}

/// A bookmark of the law tests.
struct LawPlace: Equatable {
  var number = 0
  var page: Int?
}

extension LawPlace {
  init(_ bookmark: Bookmark) { self.init(number: bookmark.number, page: bookmark.page?.page) }

  var bookmark: Bookmark {
    Bookmark(number: number, page: page.map { PageNumber(notebook: "root", page: $0) })
  }
}

/// A responder of the law tests. All classes that conform have these values.
protocol LawNode: Responder, StateRestoring, RestorationFinishing {
  var events: LawEvents { get }
  var tag: Int { get set }
  var zoom: Int { get set }
  var mark: PageNumber? { get set }
  var text: String { get set }
  var number: Int? { get set }
  var page: PageNumber? { get set }
  var place: Bookmark { get set }
  var spot: Bookmark { get set }
  var pageWaits: Bool { get }
  var placeWaits: Bool { get }
  var failsToEncode: Bool { get set }
  var finishes: Int { get set }
}

extension LawNode {
  /// All values. Getting them reads the restorable properties.
  var state: LawState {
    LawState(
      tag: tag, zoom: zoom, text: text, number: number, page: page?.page, mark: mark?.page,
      place: LawPlace(place), spot: LawPlace(spot))
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(zoom, for: "zoom")
    if failsToEncode { throw Mishap("no luck") }
    try coder.encode(tag, for: "tag")
    try coder.encode(mark, for: "mark")
    try coder.encode(spot, for: "spot")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    events.add(.decode, self)
    tag = try coder.decode("tag") ?? 0
    zoom = try coder.decode("zoom") ?? 0
    try coder.whenReady("mark", into: \.mark, of: self)
    try coder.whenReady("spot", into: \.spot, of: self)
  }

  func didFinishRestoring() {
    events.add(.finish, self)
    finishes += 1
  }
}

/// A controller of the law tests.
class LawScreen: Controller, LawNode {
  let events: LawEvents
  var tag = 0
  var zoom = 0
  var mark: PageNumber?
  @Restorable("text") var text = "d"
  @Restorable("number") var number: Int?
  @Restorable("page") var page: PageNumber?
  @Restorable("place") var place = Bookmark()
  var spot = Bookmark()
  var failsToEncode = false
  var finishes = 0
  var pageWaits: Bool { $page.isWaiting }
  var placeWaits: Bool { $place.isWaiting }

  init(_ events: LawEvents) { self.events = events }
  override func didAttach() { events.add(.link, self) }
}

/// A controller of a second class, which inherits from the first.
final class LawDetail: LawScreen {}

/// A view of the law tests.
final class LawPane: ViewResponder, LawNode {
  let events: LawEvents
  var tag = 0
  var zoom = 0
  var mark: PageNumber?
  @Restorable("text") var text = "d"
  @Restorable("number") var number: Int?
  @Restorable("page") var page: PageNumber?
  @Restorable("place") var place = Bookmark()
  var spot = Bookmark()
  var failsToEncode = false
  var finishes = 0
  var pageWaits: Bool { $page.isWaiting }
  var placeWaits: Bool { $place.isWaiting }

  init(_ events: LawEvents) { self.events = events }
  override func didAttach() { events.add(.link, self) }
}

/// The application of the law tests.
final class LawApplication: Application, StateRestoring, RestorationFinishing {
  let events: LawEvents
  var zoom = 0
  var finishes = 0

  init(_ events: LawEvents, _ strategy: Strategy) {
    self.events = events
    super.init(strategy: strategy)
  }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(zoom, for: "zoom")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    events.add(.decode, self)
    zoom = try coder.decode("zoom") ?? 0
  }

  func didFinishRestoring() {
    events.add(.finish, self)
    finishes += 1
  }
}

/// The class of a responder of the law tests.
enum LawClass: CaseIterable {
  case screen, detail, pane

  func make(_ events: LawEvents) -> any LawNode {
    switch self {
    case .screen: LawScreen(events)
    case .detail: LawDetail(events)
    case .pane: LawPane(events)
    }
  }
}

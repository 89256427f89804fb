import Foundation
import Lineage

/// A screen of the restoration suite, which saves its state in one of the compared ways.
protocol StateScreen: Controller {
  init()
  var state: ScreenState { get set }
  /// Adds one to a value. Notifies the restoration of the change, if this kind of screen must do
  /// so.
  func change()
  /// Marks the screen as changed, so that the next save encodes it again. Its values stay as they
  /// are.
  func touch()
}

/// A screen that saves its state by the two methods of `StateRestoring`.
class MethodScreen: Controller, StateRestoring, StateScreen {
  var state = ScreenState()

  required override init() { super.init() }

  func change() {
    state.count += 1
    invalidateRestorableState()
  }

  func touch() { invalidateRestorableState() }

  func encodeRestorableState(with coder: StateEncoder) throws {
    try coder.encode(state.title, for: "title")
    try coder.encode(state.count, for: "count")
    try coder.encode(state.isOpen, for: "isOpen")
    try coder.encode(state.ratio, for: "ratio")
    try coder.encode(state.opened, for: "opened")
    try coder.encode(state.rows, for: "rows")
    try coder.encode(state.thumbnail, for: "thumbnail")
    try coder.encode(state.spot, for: "spot")
  }

  func decodeRestorableState(with coder: StateDecoder) throws {
    state.title = try coder.decode("title") ?? ""
    state.count = try coder.decode("count") ?? 0
    state.isOpen = try coder.decode("isOpen") ?? false
    state.ratio = try coder.decode("ratio") ?? 0
    state.opened = try coder.decode("opened") ?? state.opened
    state.rows = try coder.decode("rows") ?? []
    state.thumbnail = try coder.decode("thumbnail") ?? Data()
    state.spot = try coder.decode("spot")
  }
}

/// A screen that has its state in eight `@Restorable` properties.
class PropertyScreen: Controller, StateScreen {
  @Restorable("title") var title = ""
  @Restorable("count") var count = 0
  @Restorable("isOpen") var isOpen = false
  @Restorable("ratio") var ratio = 0.0
  @Restorable("opened") var opened = Date(timeIntervalSinceReferenceDate: 0)
  @Restorable("rows") var rows: [Int] = []
  @Restorable("thumbnail") var thumbnail = Data()
  @Restorable("spot") var spot: ScreenState.Spot?

  required override init() { super.init() }

  func change() { count += 1 }

  func touch() { count += 0 }

  var state: ScreenState {
    get {
      ScreenState(
        title: title, count: count, isOpen: isOpen, ratio: ratio, opened: opened, rows: rows,
        thumbnail: thumbnail, spot: spot)
    }
    set {
      (title, count, isOpen) = (newValue.title, newValue.count, newValue.isOpen)
      (ratio, opened, rows) = (newValue.ratio, newValue.opened, newValue.rows)
      (thumbnail, spot) = (newValue.thumbnail, newValue.spot)
    }
  }
}

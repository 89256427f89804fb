import Lineage
import LineageTerminal

/// A context that is there if lines are printed and read aloud. Then only selected rows are shown.
struct PlainLines: Context {}

/// The rows of a live list, of which one is selected. The selection and the scroll position come
/// back at the next launch.
final class ListView<Value: Entity>: ViewResponder {
  /// The selected row. If its object is deleted, a neighbour is selected.
  @Restorable("selected") private var place = ListPlace<Value>()
  /// The first visible row.
  @Restorable("top") private var top = 0
  /// The request whose objects are listed.
  var request: FetchRequest<Value>? { didSet { attempt(show) } }
  /// The list that is shown; nil while the store is not open.
  private(set) var list: LiveList<Value>?
  private var observation: ObjectObservation?
  private var height = 1
  /// The rows that were drawn since the last change, by object. Making the texts of all rows takes most
  /// of the time between a key and its frame.
  private var drawn: [Ref<Value>: [Frame.Cell]] = [:]

  override init() {
    super.init()
    restorationIdentifier = "list"
    onChange(of: ObjectContext.self) { view, _ in view.attempt(view.show) }
    on(Key.self) { view, key in view.move(key) ? .handled : .declined }
  }

  /// The object of the selected row.
  var selected: Object<Value>? { place.object }

  /// Whether the store is open, and has nothing to list.
  var isEmpty: Bool { list?.isEmpty == true && list?.isComplete == true }

  private func show() throws {
    guard let request else { return }
    let context = context(ObjectContext.self)
    if let list, list.context === context { return list.request = request }
    list = try context.map { try LiveList(request, in: $0, loading: .elsewhere) }
    observation = list?.observe { [weak self] list, changes in
      if !changes.isEmpty { self?.drawn = [:] }
      self?.place.follow(list)
    }
    drawn = [:]
    if let list { place.follow(list) }
  }

  /// Moves the selection, or returns false if the key does not move it.
  private func move(_ key: Key) -> Bool {
    let steps: KeyValuePairs<Key, Int> = [
      .up: -1, .down: 1, .pageUp: -height, .pageDown: height, .home: -place.index, .end: .max / 2,
    ]
    guard let step = steps.first(where: { $0.key == key })?.value else { return false }
    // The selected row may still come.
    if let list, list.isComplete || selected.flatMap(list.position) != nil {
      place = ListPlace(at: place.index + step, in: list)
    }
    return true
  }

  /// Draws the rows around the selected one. The closure returns the texts at the left and at the
  /// right of an object's row. They are kept if they depend on nothing but the object.
  func draw(
    in frame: inout Frame, rows: Range<Int>, ifEmpty words: String, keeping isKept: Bool = true,
    texts: (Object<Value>) -> (String, String)
  ) {
    guard let list, !rows.isEmpty else { return }
    if isEmpty { frame.write(words, row: rows.lowerBound, column: 2) }
    height = rows.count
    let row = min(place.index, list.count - 1)
    let first = max(0, min(max(min(top, row), row - height + 1), list.count - height))
    if first != top, list.isComplete { top = first }
    if !isKept || drawn.count > 1000 || drawn.first?.value.count != frame.width { drawn = [:] }
    let (selected, isPlain) = (selected, context(PlainLines.self) != nil)
    for (place, object) in zip(rows, list[first..<min(first + height, list.count)])
    where object === selected || !isPlain {
      let (style, kept) = (object === selected ? Style.reverse : .plain, drawn[object.id])
      if let kept { frame.rows[place] = kept }
      guard style == .reverse || kept == nil else { continue }
      let (left, right) = texts(object)
      if style == .reverse { frame.write("›", row: place, column: 0) }
      let side = max(2, frame.width - right.count - 2)
      frame.write(left, row: place, column: 2, width: side - 4, style: style)
      frame.write(right, row: place, column: side, style: .dim)
      if style == .plain { drawn[object.id] = frame.rows[place] }
    }
  }
}

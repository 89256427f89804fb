/// A queue: what was added first is taken first, both in constant time.
package struct Turns<Element> {
  private var elements: [Element] = []
  /// The number of elements at the beginning of the array that were taken.
  private var taken = 0

  package init() {}

  package var isEmpty: Bool { taken == elements.count }

  package mutating func add(_ element: Element) { elements.append(element) }

  /// Removes the first element and returns it; nil if there is none.
  package mutating func take() -> Element? {
    guard !isEmpty else { return nil }
    taken += 1
    let element = elements[taken - 1]
    // At most as many elements are moved as were taken since the last time.
    if taken * 2 >= elements.count {
      elements.removeFirst(taken)
      taken = 0
    }
    return element
  }
}

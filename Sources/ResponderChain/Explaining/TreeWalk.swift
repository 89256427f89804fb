/// The responders of a tree, numbered in the order of a walk from the top.
package struct TreeWalk {
  package let responders: [Responder]
  /// The number of each responder.
  package let numbers: [ObjectIdentifier: Int]
  /// The number of each responder's parent; -1 at the top.
  package let parents: [Int]
  /// The number of the last responder below each one, or its own number.
  package let ends: [Int]

  /// Walks the whole tree of a responder.
  ///
  /// - Complexity: O(*n*) for *n* responders.
  package init(treeOf responder: Responder) {
    let top = responder.chain.reduce(responder) { $1 }
    responders = [top] + top.descendants
    var numbers: [ObjectIdentifier: Int] = [:]
    for (number, responder) in responders.enumerated() {
      numbers[ObjectIdentifier(responder)] = number
    }
    self.numbers = numbers
    let parents = responders.map { responder in
      responder.nextResponder.flatMap { numbers[ObjectIdentifier($0)] } ?? -1
    }
    var ends = Array(responders.indices)
    for number in responders.indices.dropFirst().reversed() where parents[number] >= 0 {
      ends[parents[number]] = max(ends[parents[number]], ends[number])
    }
    (self.parents, self.ends) = (parents, ends)
  }

  /// The top of the tree.
  package var top: Responder { responders[0] }
}

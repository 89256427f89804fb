/// A shrunk program on which the library once disagreed with the oracle, and the law that the
/// library broke.
struct Regression: Sendable, CustomStringConvertible {
  let law: String
  let steps: [Operation]

  var description: String { law }

  var program: Program {
    let kinds = [.application] + Array(repeating: Program.Kind.controller, count: 4)
    return Program(seed: 0, kinds: kinds, steps: steps)
  }

  // Computed, because the leak detector does not see objects behind the tagged pointers of a global
  // enum.
  static var all: [Regression] {
    [
      Regression(
        law: "Checking whether a branch drifts makes no child above it",
        steps: [
          .insert(2, under: 1, at: 0), .insert(3, under: 2, at: 0),
          .branch(.follow, on: 3, key: 0), .provide(0, on: 1, key: 0), .soil(3, key: 0),
          .branch(.follow, on: 2, key: 0),
        ]),
      Regression(
        law: "A lookup that ends at an unsaved child makes no child above it",
        steps: [
          .insert(2, under: 1, at: 0), .insert(3, under: 2, at: 0), .insert(4, under: 3, at: 0),
          .observe(0, on: 4, key: 0, script: nil, delay: 0), .branch(.follow, on: 3, key: 0),
          .provide(0, on: 1, key: 0), .soil(3, key: 0), .branch(.follow, on: 2, key: 0),
        ]),
      Regression(
        law: "A delivery to a responder that is gone returns false",
        steps: [.expect(0, on: 1, key: 0), .drop(1), .deliver(0, to: 0)]),
      Regression(
        law: "What was delivered to a detached tree that ends is released",
        steps: [.expect(0, on: 1, key: 0), .deliver(5, to: 0)]),
      Regression(
        law: "Moving within a detached tree in a callback is no detachment",
        steps: [
          .insert(2, under: 1, at: 0), .insert(3, under: 2, at: 0), .insert(4, under: 3, at: 0),
          .observe(
            0, on: 3, key: 0, script: .move(2, to: 1, at: 0), delay: 1),
          .observe(1, on: 4, key: 0, script: nil, delay: 0), .provide(0, on: 3, key: 0),
        ]),
      Regression(
        law: "An observer that ended in a batch makes no child",
        steps: [
          .provide(0, on: 1, key: 0), .insert(2, under: 1, at: 0),
          .observe(0, on: 2, key: 0, script: nil, delay: 0),
          .batch([.branch(.follow, on: 2, key: 0), .endObservation(0)]),
        ]),
      Regression(
        law: "A branch of a leaf that nobody observes drifts and follows like any other",
        steps: [
          .insert(1, under: 0, at: 0), .insert(2, under: 1, at: 0), .branch(.follow, on: 2, key: 0),
          .provide(0, on: 0, key: 0), .soil(2, key: 0), .provide(1, on: 1, key: 0),
          .observe(0, on: 2, key: 0, script: nil, delay: 0), .clean(2, key: 0),
        ]),
      Regression(
        law: "A branch that drifted while detached follows when it is attached and saved",
        steps: [
          .insert(1, under: 0, at: 0), .insert(2, under: 1, at: 0), .branch(.follow, on: 2, key: 0),
          .provide(0, on: 0, key: 0), .observe(0, on: 2, key: 0, script: nil, delay: 0),
          .soil(2, key: 0), .remove(1), .insert(1, under: 0, at: 0), .remove(1),
          .provide(1, on: 0, key: 0), .insert(1, under: 0, at: 0), .clean(2, key: 0),
        ]),
      Regression(
        law: "A branch whose drift a lookup met first follows when it is saved",
        steps: [
          .insert(1, under: 0, at: 0), .branch(.follow, on: 1, key: 0), .provide(0, on: 0, key: 0),
          .observe(0, on: 1, key: 0, script: nil, delay: 0), .soil(1, key: 0),
          .batch([.provide(1, on: 0, key: 0), .read(1, key: 0, fromNext: false)]),
          .clean(1, key: 0),
        ]),
      Regression(
        law: "A branch whose drift an earlier observer met first follows when it is saved",
        steps: [
          .insert(1, under: 0, at: 0), .insert(2, under: 1, at: 0),
          .observe(0, on: 2, key: 0, script: nil, delay: 0), .branch(.follow, on: 2, key: 0),
          .provide(0, on: 0, key: 0), .soil(2, key: 0), .provide(1, on: 1, key: 0),
          .clean(2, key: 0),
        ]),
      Regression(
        law: "A slot that is expected and detached in a callback waits until it is attached",
        steps: [
          .insert(1, under: 0, at: 0), .observe(0, on: 1, key: 0, script: .remove(1), delay: 1),
          .expect(0, on: 1, key: 0), .deliver(2, to: 0),
        ]),
      Regression(
        law: "A slot that comes between in the same batch decides",
        steps: [
          .insert(2, under: 1, at: 0), .insert(3, under: 2, at: 0),
          .observe(0, on: 3, key: 0, script: nil, delay: 0),
          .batch([.provide(1, on: 1, key: 0), .expect(0, on: 2, key: 0)]),
        ]),
      Regression(
        law: "A branch in the place of a block lets changes from above through",
        steps: [
          .block(2, key: 0), .insert(2, under: 1, at: 0),
          .observe(0, on: 2, key: 0, script: nil, delay: 0), .branch(.follow, on: 1, key: 0),
          .branch(.follow, on: 2, key: 0), .provide(2, on: 1, key: 0),
        ]),
      Regression(
        law: "A read that makes a child is no change to those whom a callback detached",
        steps: [
          .insert(1, under: 0, at: 0), .branch(.follow, on: 2, key: 0),
          .insert(2, under: 1, at: 0),
          .observe(0, on: 1, key: 0, script: .remove(1), delay: 1),
          .observe(1, on: 2, key: 0, script: nil, delay: 0), .provide(0, on: 1, key: 0),
          .soil(2, key: 0),
        ]),
      Regression(
        law: "A branch that drifted and was then detached by a callback concerns its tree no more",
        steps: [
          .insert(1, under: 0, at: 0), .insert(2, under: 1, at: 0), .provide(0, on: 0, key: 0),
          .branch(.keep, on: 2, key: 0),
          .observe(0, on: 2, key: 0, script: .remove(2), delay: 1), .provide(1, on: 1, key: 0),
          .branch(.follow, on: 2, key: 0),
        ]),
    ]
  }
}

public import ObjectGraph
import ResponderChain
public import StateRestoration

extension Restorable {
  /// Creates a property with an object, which also keeps a text of the object, for the time before the
  /// store is open.
  ///
  /// ```swift
  /// @Restorable("deck", keeping: \.name) var deck: Object<Deck>?
  ///
  /// var title: String { $deck.kept ?? "" }
  /// ```
  ///
  /// The text is archived with the object, and follows the object's property. While the object waits
  /// for its context, and when it is missing, `$deck.kept` is the text that was archived last.
  ///
  /// A property that was archived without a text may get one later, and the other way round.
  public init<Target: Entity>(_ key: StaticString, keeping path: KeyPath<Target, String>)
  where Value == Object<Target>? {
    let follower = KeptText(path)
    self.init(key, keeping: { $0?.value[keyPath: path] }, following: follower.follow)
  }
}

/// The follower of an object of which a property keeps a text.
private final class KeptText<Target: Entity> {
  private let path: KeyPath<Target, String>
  private var observation: ObjectObservation?

  init(_ path: KeyPath<Target, String>) { self.path = path }

  /// Makes the responder's state be saved again after each change of the text.
  func follow(_ responder: Responder, _ object: Object<Target>?, _ isGone: Bool) {
    observation = nil
    guard let object, object.context != nil else { return }
    var text = object.value[keyPath: path]
    observation = object.observe { [path, weak responder] object, _ in
      let present = object.value[keyPath: path]
      guard present != text else { return }
      text = present
      responder?.invalidateRestorableState()
    }
  }
}

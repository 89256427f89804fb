import ResponderChain

/// The facts about a class of responders. They are looked up only once.
final class ClassFacts {
  /// The function that converts an instance to ``StateRestoring``; nil if the class does not
  /// conform. An isolated one is found only in the tree's isolation.
  let restoring: ((Responder) -> any StateRestoring)?
  /// Whether the class conforms to ``RestorationFinishing``.
  let isFinishing: Bool
  /// The index, plus one, of the kind with this class; zero if there is no such kind.
  let kind: UInt16

  var hasMethods: Bool { restoring != nil }

  init(_ type: Responder.Type, kind: UInt16) {
    self.kind = kind
    isFinishing = type is any RestorationFinishing.Type
    restoring = (type as? any StateRestoring.Type).map { Self.conversion(to: $0) }
  }

  /// Returns a function that converts a responder of the class to ``StateRestoring``. The function
  /// does not search for the conformance at each call.
  private static func conversion<Class: StateRestoring>(
    to type: Class.Type
  ) -> (Responder) -> any StateRestoring {
    { responder in
      // Facts are looked up by the responder's class, so the responder is an instance of this
      // class.
      unsafe unsafeDowncast(responder, to: Class.self)
    }
  }
}

/// The kinds and the names of contexts of a restoration.
public struct RestorationParts {
  var kinds: [Kind] = []
  var contexts: [ContextName] = []
}

/// The builder of the list of kinds and context names of a restoration.
@resultBuilder
public enum RestorationBuilder {
  /// Builds a list of one kind.
  public static func buildExpression(_ kind: Kind) -> RestorationParts {
    RestorationParts(kinds: [kind])
  }

  /// Builds a list of one name.
  public static func buildExpression(_ name: ContextName) -> RestorationParts {
    RestorationParts(contexts: [name])
  }

  /// Builds a list that was built elsewhere.
  public static func buildExpression(_ parts: RestorationParts) -> RestorationParts { parts }

  /// Builds the list of several lists.
  public static func buildBlock(_ parts: RestorationParts...) -> RestorationParts {
    buildArray(parts)
  }

  /// Builds the list of several lists.
  public static func buildArray(_ parts: [RestorationParts]) -> RestorationParts {
    parts.reduce(into: RestorationParts()) {
      $0.kinds += $1.kinds
      $0.contexts += $1.contexts
    }
  }

  /// Builds a list, or an empty one.
  public static func buildOptional(_ parts: RestorationParts?) -> RestorationParts {
    parts ?? RestorationParts()
  }

  /// Builds the first of two lists.
  public static func buildEither(first: RestorationParts) -> RestorationParts { first }

  /// Builds the second of two lists.
  public static func buildEither(second: RestorationParts) -> RestorationParts { second }
}

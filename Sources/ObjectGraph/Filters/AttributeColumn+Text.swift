// Each test is declared for String and for String?. No one constraint means both, except a public
// protocol to which a client could conform other types.

extension AttributeColumn where Value == String {
  /// Returns a filter for objects whose text contains the given one. Each text contains the empty
  /// text.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Returns a filter for objects whose text begins with the given one.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Returns a filter for objects whose text ends with the given one.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Returns a filter for objects whose text equals the given one, apart from what the options
  /// disregard.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn where Value == String? {
  /// Returns a filter for objects that have a text which contains the given one. Each text contains
  /// the empty text.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Returns a filter for objects that have a text which begins with the given one.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Returns a filter for objects that have a text which ends with the given one.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Returns a filter for objects that have a text which equals the given one, apart from what the
  /// options disregard.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn {
  private func test(_ test: TextTest, _ text: String, _ options: TextOptions) -> Filter<Root> {
    Filter(.text(path, test, text, options), reach.depth)
  }
}

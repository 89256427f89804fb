// Each test twice, because no one constraint means "String or String?" without a public protocol
// to which a client could conform other types.

extension AttributeColumn where Value == String {
  /// Whether the text contains another; each text contains the empty one.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Whether the text begins with another.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Whether the text ends with another.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Whether the text is another, but for what the options disregard.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn where Value == String? {
  /// Whether there is a text that contains another; each text contains the empty one.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Whether there is a text that begins with another.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Whether there is a text that ends with another.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Whether there is a text that is another, but for what the options disregard.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn {
  private func test(_ test: TextTest, _ text: String, _ options: TextOptions) -> Filter<Root> {
    Filter(.text(path, test, text, options), reach.depth)
  }
}

// Each test is declared for String and for String?. Only a public protocol could include both
// types, but then clients could conform other types to that protocol.

extension AttributeColumn where Value == String {
  /// Returns a filter for objects whose text contains the given text. Each text contains the empty
  /// text.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Returns a filter for objects whose text begins with the given text.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Returns a filter for objects whose text ends with the given text.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Returns a filter for objects whose text equals the given text, apart from the differences that
  /// the options ignore.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn where Value == String? {
  /// Returns a filter for objects whose text is not nil and contains the given text. Each text
  /// contains the empty text.
  public func contains(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.contains, text, options)
  }

  /// Returns a filter for objects whose text is not nil and begins with the given text.
  public func hasPrefix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasPrefix, text, options)
  }

  /// Returns a filter for objects whose text is not nil and ends with the given text.
  public func hasSuffix(_ text: String, _ options: TextOptions = []) -> Filter<Root> {
    test(.hasSuffix, text, options)
  }

  /// Returns a filter for objects whose text is not nil and equals the given text, apart from the
  /// differences that the options ignore.
  public func equals(_ text: String, _ options: TextOptions) -> Filter<Root> {
    test(.equals, text, options)
  }
}

extension AttributeColumn {
  private func test(_ test: TextTest, _ text: String, _ options: TextOptions) -> Filter<Root> {
    Filter(.text(path, test, text, options), reach.depth)
  }
}

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

// Orders of texts.

extension AttributeColumn where Value == String {
  /// A key for the order of texts without their differences in case and diacritics: `Émile` comes
  /// between `Emil` and `emily`.
  ///
  /// Objects whose texts differ only in case or diacritics are ordered by the next key. The order
  /// is not that of a language: `ø` comes after `z`. It is the same in all stores.
  ///
  /// - Complexity: The fetch makes one key text for each row, because no index has this order.
  public var folded: OrderKey<Root> { OrderKey(path, .folded) }

  /// A key for the order of `folded`, in which numbers inside the texts are ordered by size:
  /// `Part 2` comes before `part 10`.
  ///
  /// A number is a run of the digits 0 to 9 of any length. Leading zeros, signs and decimal points
  /// do not belong to it. Objects whose texts differ only in leading zeros are ordered by the next
  /// key.
  ///
  /// - Complexity: The fetch makes one key text for each row, because no index has this order.
  public var natural: OrderKey<Root> { OrderKey(path, .natural) }
}

extension AttributeColumn where Value == String? {
  /// A key for the order of texts without their differences in case and diacritics, with nil first:
  /// `Émile` comes between `Emil` and `emily`.
  ///
  /// Objects whose texts differ only in case or diacritics are ordered by the next key. The order
  /// is not that of a language: `ø` comes after `z`. It is the same in all stores.
  ///
  /// - Complexity: The fetch makes one key text for each row, because no index has this order.
  public var folded: OrderKey<Root> { OrderKey(path, .folded) }

  /// A key for the order of `folded`, with nil first, in which numbers inside the texts are
  /// ordered by size: `Part 2` comes before `part 10`.
  ///
  /// A number is a run of the digits 0 to 9 of any length. Leading zeros, signs and decimal points
  /// do not belong to it. Objects whose texts differ only in leading zeros are ordered by the next
  /// key.
  ///
  /// - Complexity: The fetch makes one key text for each row, because no index has this order.
  public var natural: OrderKey<Root> { OrderKey(path, .natural) }
}

extension AttributeColumn {
  private func test(_ test: TextTest, _ text: String, _ options: TextOptions) -> Filter<Root> {
    Filter(.text(path, test, text, options), reach.depth)
  }
}

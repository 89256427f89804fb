package import ObjectGraph

/// An error that ends the opening of a store with a reason why there is no store.
///
/// The reason is an `Opening<Never>`, so that code below the store can refuse a file without naming
/// the store's type. It is not an `OpeningError`, which also needs the store's URL.
package struct Refusal: Error {
  package let opening: Opening<Never>

  package init(opening: Opening<Never>) { self.opening = opening }
}

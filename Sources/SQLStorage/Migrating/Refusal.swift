package import ObjectGraph

/// An error that ends an opening with a result without a store.
///
/// The result is an `Opening<Never>`, so that code below the store can refuse a file without naming
/// the store's type. An `OpeningError` cannot hold such a result.
package struct Refusal: Error {
  package let opening: Opening<Never>

  package init(opening: Opening<Never>) { self.opening = opening }
}

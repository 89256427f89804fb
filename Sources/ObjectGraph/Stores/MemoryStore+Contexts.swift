extension MemoryStore {
  /// A root context on the store, for whoever calls.
  public func makeContext() -> ObjectContext { ObjectContext(store: self) }
}

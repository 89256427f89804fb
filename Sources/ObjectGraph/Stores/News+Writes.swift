extension News {
  /// Creates news with the rows that a commit's writes changed.
  package init(_ writes: [Write]) {
    self.init()
    for write in writes {
      if case .delete = write.kind {
        deleted[write.entity, default: []].insert(write.id)
      } else {
        touched[write.entity, default: []].insert(write.id)
      }
    }
    for (entity, ids) in touched { deleted[entity]?.subtract(ids) }
  }
}

/// A small context without a store, to which linked disconnected objects belong.
///
/// Objects retain their draft. The draft retains values and not objects, so that objects are freed
/// even if they refer to each other in a cycle. If a link leads to an object that was freed, the
/// draft creates the object again from its value.
final class Draft {
  private var values: [DraftKey: AnyBox] = [:]
  /// For each object, the keys of the objects that refer to it.
  private var referrers: [DraftKey: Set<DraftKey>] = [:]
  private var live: [DraftKey: Live] = [:]
  /// The objects that are in a context, and to which objects of the draft refer.
  private var outside: [DraftKey: GraphObject] = [:]
  /// The context that discarded objects into the draft; nil if there is none. References to objects
  /// that the draft does not have are looked up in this context.
  private weak var origin: (any TableOwner)?

  /// The key of an object in a draft. The key contains the entity's type, because two objects of
  /// different entities may have the same id.
  struct DraftKey: Hashable {
    let type: ObjectIdentifier
    let key: Int64

    init(_ type: any Entity.Type, _ key: Int64) {
      self.type = ObjectIdentifier(type)
      self.key = key
    }

    init(_ object: GraphObject) { self.init(object.layout.type, object.key) }
    init(_ box: AnyBox) { self.init(box.layout.type, box.key) }
  }

  private struct Live {
    weak var object: GraphObject?
  }

  /// Puts two linked objects into one draft. The first object must be disconnected. If the second
  /// object is in a context, the draft retains the object, but does not contain it.
  static func link(_ one: GraphObject, _ other: GraphObject) {
    let draft = home(of: one)
    if case .table = other.home {
      draft.outside[DraftKey(other)] = other
    } else {
      // The smaller draft goes into the larger one, because otherwise each link could copy a large
      // draft.
      let second = home(of: other)
      if draft.values.count < second.values.count {
        second.merge(draft)
      } else {
        draft.merge(second)
      }
    }
  }

  /// Puts an object that a context has discarded into a draft. The draft stores a weak reference to
  /// the context, because references of the object may still lead to objects of that context.
  static func leave(_ object: GraphObject, _ context: any TableOwner) {
    home(of: object).origin = context
  }

  private static func home(of object: GraphObject) -> Draft {
    if case .draft(let draft) = object.home { return draft }
    let draft = Draft()
    draft.adopt(object)
    return draft
  }

  private func adopt(_ object: GraphObject) {
    put(object.boxed())
    live[DraftKey(object)] = Live(object: object)
    object.home = .draft(self)
  }

  private func put(_ box: AnyBox) {
    let place = DraftKey(box)
    remove(place)
    values[place] = box
    for (_, target) in Self.targets(of: box) { referrers[target, default: []].insert(place) }
  }

  private func remove(_ place: DraftKey) {
    guard let box = values.removeValue(forKey: place) else { return }
    for (_, target) in Self.targets(of: box) {
      referrers[target]?.remove(place)
      if referrers[target]?.isEmpty ?? false { referrers[target] = nil }
    }
  }

  /// Returns the keys of the objects to which the to-one columns of a value refer.
  private static func targets(of box: AnyBox) -> [(column: Int, place: DraftKey)] {
    box.layout.referenceColumns.compactMap { column in
      guard let type = box.layout.columns[column].target, let key = box.target(of: column) else {
        return nil
      }
      return (column, DraftKey(type, key))
    }
  }

  private func merge(_ other: Draft) {
    guard other !== self else { return }
    for (place, box) in other.values where values[place] == nil { put(box) }
    outside.merge(other.outside) { mine, _ in mine }
    origin = origin ?? other.origin
    for (key, entry) in other.live {
      guard let object = entry.object else { continue }
      live[key] = Live(object: object)
      object.home = .draft(self)
    }
  }

  /// Records the current value of an object in the draft.
  func keep(_ object: GraphObject) { put(object.boxed()) }

  private func object(_ box: AnyBox) -> GraphObject {
    let place = DraftKey(box)
    if let object = live[place]?.object { return object }
    let object = box.makeGraphObject()
    live[place] = Live(object: object)
    object.home = .draft(self)
    return object
  }

  /// Returns the object to which a reference points, in the draft or in a context; nil if there is
  /// none.
  func find<Target: Entity>(_ ref: Ref<Target>) throws -> Object<Target>? {
    let place = DraftKey(Target.self, ref.key)
    if let box = values[place] { return object(box) as? Object<Target> }
    if let known = outside[place] as? Object<Target> { return known }
    return try origin?.graphObject(ref.key, of: Target.self) as? Object<Target>
  }

  /// Returns the objects of the draft that refer to an id by the given column.
  func members<Target: Entity>(
    _: Target.Type, column: Int, of key: Int64
  ) -> [Object<Target>] {
    guard let owner = Target.layout.columns[column].target else { return [] }
    return (referrers[DraftKey(owner, key)] ?? []).compactMap { values[$0] }
      .filter { $0.layout.type == Target.self && $0.target(of: column) == key }
      .sorted { $0.key < $1.key }
      .compactMap { object($0) as? Object<Target> }
  }

  /// Returns an object and all objects that are connected with it by links in either direction. The
  /// object itself comes first.
  func component(of object: GraphObject) -> [GraphObject] {
    var reached: Set<DraftKey> = [DraftKey(object)]
    var queue = [DraftKey(object)]
    var next = 0
    while next < queue.count {
      let place = queue[next]
      next += 1
      let targets = values[place].map { Self.targets(of: $0).map(\.place) } ?? []
      let users = (referrers[place] ?? []).sorted { $0.key < $1.key }
      for other in targets + users where values[other] != nil && reached.insert(other).inserted {
        queue.append(other)
      }
    }
    return queue.compactMap { values[$0].map(self.object) }
  }

  /// Returns the objects that are in a context, and to which the given objects of the draft refer.
  func outsiders(of component: [GraphObject]) -> [GraphObject] {
    guard !outside.isEmpty else { return [] }
    return component.flatMap { object in
      object.layout.columns.indices.compactMap { column in
        guard let type = object.layout.columns[column].target,
          let key = object.target(of: column)
        else { return nil }
        let place = DraftKey(type, key)
        return values[place] == nil ? outside[place] : nil
      }
    }
  }

  /// Removes objects from the draft, because a context has inserted them.
  func release(_ objects: [GraphObject]) {
    for object in objects {
      remove(DraftKey(object))
      live[DraftKey(object)] = nil
    }
  }
}

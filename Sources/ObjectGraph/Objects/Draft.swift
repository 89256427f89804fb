/// Where disconnected objects live that are linked: values without a store.
///
/// Objects own their draft and the draft owns values, never objects, so that objects in a cycle
/// are freed with the last one that somebody holds. An object nobody holds is made again from its
/// value when a link leads to it.
final class Draft {
  private var values: [Int64: AnyBox] = [:]
  private var live: [Int64: Live] = [:]
  /// Objects of contexts to which those in the draft refer.
  private var outside: [Int64: Instance] = [:]

  private struct Live {
    weak var object: Instance?
  }

  /// Puts two objects of which at least the first is disconnected into one draft.
  static func link(_ one: Instance, _ other: Instance) {
    let draft = home(of: one)
    if case .table = other.home {
      draft.outside[other.key] = other
    } else {
      // The smaller goes into the larger: otherwise a draft of many would be copied at each link.
      let second = home(of: other)
      if draft.values.count < second.values.count {
        second.absorb(draft)
      } else {
        draft.absorb(second)
      }
    }
  }

  private static func home(of object: Instance) -> Draft {
    if case .draft(let draft) = object.home { return draft }
    let draft = Draft()
    draft.adopt(object)
    return draft
  }

  private func adopt(_ object: Instance) {
    values[object.key] = object.boxed()
    live[object.key] = Live(object: object)
    object.home = .draft(self)
  }

  private func absorb(_ other: Draft) {
    guard other !== self else { return }
    values.merge(other.values) { mine, _ in mine }
    outside.merge(other.outside) { mine, _ in mine }
    for (key, entry) in other.live {
      guard let object = entry.object else { continue }
      live[key] = Live(object: object)
      object.home = .draft(self)
    }
  }

  /// Keeps the value an object has now.
  func keep(_ object: Instance) { values[object.key] = object.boxed() }

  private func object(_ box: AnyBox) -> Instance {
    if let object = live[box.key]?.object { return object }
    let object = box.makeInstance()
    live[box.key] = Live(object: object)
    object.home = .draft(self)
    return object
  }

  /// The object of the draft, or of a context, that a reference means.
  func find<Target: Entity>(_ ref: Ref<Target>) -> Object<Target>? {
    if let box = values[ref.key] { return object(box) as? Object<Target> }
    return outside[ref.key] as? Object<Target>
  }

  /// The objects of the draft whose column refers to an id.
  func members<Target: Entity>(
    _: Target.Type, column: Int, of key: Int64
  ) -> [Object<Target>] {
    values.values
      .filter { $0.layout === Target.layout && $0.target(of: column) == key }
      .sorted { $0.key < $1.key }
      .compactMap { object($0) as? Object<Target> }
  }

  /// Those reachable from an object by links in either direction, the object first.
  func component(of object: Instance) -> [Instance] {
    var users: [Int64: [Int64]] = [:]
    var targets: [Int64: [Int64]] = [:]
    for (key, box) in values {
      for (column, property) in box.layout.columns.enumerated() where property.kind == .reference {
        guard let target = box.target(of: column), values[target] != nil else { continue }
        users[target, default: []].append(key)
        targets[key, default: []].append(target)
      }
    }
    var reached: Set<Int64> = [object.key]
    var queue = [object.key]
    var next = 0
    while next < queue.count {
      let key = queue[next]
      next += 1
      for other in (targets[key] ?? []) + (users[key] ?? []).sorted()
      where reached.insert(other).inserted {
        queue.append(other)
      }
    }
    return queue.compactMap { values[$0].map(self.object) }
  }

  /// The objects of contexts to which some of the draft refer.
  func outsiders(of component: [Instance]) -> [Instance] {
    guard !outside.isEmpty else { return [] }
    return component.flatMap { object in
      object.layout.columns.indices.compactMap { column in
        guard object.layout.columns[column].kind == .reference else { return nil }
        return object.target(of: column).flatMap { values[$0] == nil ? outside[$0] : nil }
      }
    }
  }

  /// Lets go of objects that a context has taken in.
  func release(_ objects: [Instance]) {
    for object in objects {
      values[object.key] = nil
      live[object.key] = nil
    }
  }
}

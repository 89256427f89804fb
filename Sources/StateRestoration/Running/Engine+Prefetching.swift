import ResponderChain

extension Engine {
  /// Fetches the objects that records refer to, at the responders that provide their contexts.
  func prefetch(_ records: [(id: UInt32, responder: Responder)]) {
    /// The references of the records that find a context at the same provider.
    struct Group {
      let context: Any
      let registration: any ContextRegistration
      var references: [String] = []
    }
    struct GroupKey: Hashable {
      let provider: ObjectIdentifier
      let name: String
    }
    var groups: [GroupKey: Group] = [:]
    var order: [GroupKey] = []
    for (id, responder) in records {
      guard let record = log.reader(of: id), let values = try? RecordValues(record) else {
        continue
      }
      var providers: [String: GroupKey] = [:]
      try? values.forEach { entry in
        var reader = values.reader(entry, nil)
        try reader.forEachReference { name, text in
          if let key = providers[name] {
            groups[key]?.references.append(text)
            return
          }
          guard let registration = contexts.registrations[name],
            let (provider, state) = registration.provider(of: responder),
            case .value(let context) = state
          else { return }
          let key = GroupKey(provider: ObjectIdentifier(provider), name: name)
          providers[name] = key
          if groups[key] == nil {
            groups[key] = Group(context: context, registration: registration)
            order.append(key)
          }
          groups[key]?.references.append(text)
        }
      }
    }
    for key in order {
      guard let group = groups[key] else { continue }
      if let kept = group.registration.prefetch(group.references, in: group.context) {
        prefetched.append(kept)
      }
    }
  }

  /// Releases the prefetched objects at the next turn of the main loop, when the values of the
  /// restored responders have been read.
  func releasePrefetchedSoon() {
    guard !prefetched.isEmpty else { return }
    application?.mailbox.post { application in
      ((application.attachment as? RootMark)?.keeperOfTree as? Engine)?.prefetched = []
    }
  }
}

public import ResponderChain

/// A kind of responders that archives may contain, under a registered name.
///
/// Archives contain this name and never the name of a type. So types can be renamed, and an archive
/// leads only to responders of registered kinds.
///
/// ```swift
/// Kind("deck", DeckController.init)
/// Kind("card", version: 2) { request in
///   request.parent is DeckController ? request.existing ?? CardController() : nil
/// }
/// .renamed("sel", to: "selection", in: 2)
/// Kind("cards") { CardsScreen(deck: try $0.value("deck")) }
/// ```
public struct Kind {
  /// The time at which responders of a kind are restored.
  public enum RestorationTime: Sendable {
    /// Responders are made when the application is launched.
    case atLaunch
    /// The restoration makes no responder. A record waits until code of the app attaches a
    /// responder with the record's identifier.
    case whenAttached
  }

  /// The name in archives.
  public let name: String
  /// The version of the values that the present code writes.
  public let version: Int
  /// The time at which responders of this kind are restored.
  public let time: RestorationTime
  /// The names that the kind had in earlier versions of the app.
  private(set) var formerNames: [String] = []
  /// The class of the responders; nil if only the factory knows it.
  let type: KindClass?
  private(set) var changes: [RecordChange] = []
  let make: (RestorationRequest) throws -> Responder?
}

extension Kind {
  /// Creates a kind of responders of one class.
  ///
  /// The closure makes a responder if no responder has the archived path yet.
  public init<Made: Responder>(_ name: String, version: Int = 1, _ make: @escaping () -> Made) {
    self.init(name, version: version, .atLaunch, make)
  }

  /// Creates a kind of responders of one class, which are restored at the given time.
  public init<Made: Responder>(
    _ name: String, version: Int = 1, _ time: RestorationTime, _ make: @escaping () -> Made
  ) {
    self.init(name: name, version: version, time: time, type: KindClass(Made.self)) {
      $0.existing ?? make()
    }
  }

  /// Creates a kind with a closure that makes its responders.
  ///
  /// The closure returns the responder to be restored. If `request.existing` is not nil, the
  /// closure should return it, because any other responder is refused. The closure may read values of
  /// the record; see ``RestorationRequest/value(_:)``. If the closure returns nil,
  /// the record and all records below it are removed. If the closure throws, these records are kept
  /// for a later launch.
  public init(
    _ name: String, version: Int = 1, _ make: @escaping (RestorationRequest) throws -> Responder?
  ) {
    self.init(name, version: version, .atLaunch, make)
  }

  /// Creates a kind with a closure that makes its responders, which are restored at the given time.
  public init(
    _ name: String, version: Int = 1, _ time: RestorationTime,
    _ make: @escaping (RestorationRequest) throws -> Responder?
  ) {
    self.init(name: name, version: version, time: time, type: nil, make: make)
  }

  /// Returns the kind with additional names, which it had in earlier versions of the app. Records
  /// with these names are restored as well.
  public func formerly(_ names: String...) -> Kind {
    var kind = self
    kind.formerNames += names
    return kind
  }

  /// Returns the kind with a key that was renamed in the given version. Records of earlier versions
  /// have the value under the old key.
  public func renamed(_ old: String, to new: String, in version: Int) -> Kind {
    adding(.rename(old, new), in: version)
  }

  /// Returns the kind with a key that was dropped in the given version. The value is removed from
  /// records of earlier versions.
  public func dropped(_ key: String, in version: Int) -> Kind {
    adding(.drop(key), in: version)
  }

  /// Returns the kind with a value that has another form since the given version. The closure
  /// converts the value in records of earlier versions.
  ///
  /// If the closure throws, only this value is lost, and the report says so.
  public func transformed<Old: RestorableValue, New: RestorableValue>(
    _ key: String, in version: Int, _ transform: @escaping (Old) throws -> New
  ) -> Kind {
    adding(
      .transform(key) { reader, writer in
        try transform(Old.read(from: &reader)).write(to: &writer)
      }, in: version)
  }

  private func adding(_ step: RecordChange.Step, in version: Int) -> Kind {
    precondition(
      (2...max(self.version, 2)).contains(version),
      "Kind(\"\(name)\", version: \(self.version)) has a change in version \(version).")
    var kind = self
    kind.changes.append(RecordChange(version: version, step: step))
    return kind
  }
}

/// The class of the responders of a kind.
struct KindClass {
  let id: ObjectIdentifier
  let name: String
  /// The function that tells whether a responder is of the class or of a subclass.
  let includes: (Responder) -> Bool

  init<Made: Responder>(_ type: Made.Type) {
    id = ObjectIdentifier(type)
    name = "\(type)"
    includes = { $0 is Made }
  }
}

/// One change of a kind's values between two versions.
struct RecordChange {
  enum Step {
    case rename(String, String)
    case drop(String)
    case transform(String, (inout ValueReader, inout ValueWriter) throws -> Void)
  }

  /// The first version of the kind that has the change.
  let version: Int
  let step: Step
}

/// A list of records that are being restored, with their paths.
protocol RecordPaths: AnyObject {
  /// Returns the identifiers on the way from the application to a record's responder or object.
  func path(_ index: Int) -> [String]
}

/// A record that needs a responder, passed to a kind's factory.
public struct RestorationRequest {
  /// The identifiers on the way from the application to the responder.
  ///
  /// - Complexity: O(*depth*).
  public var path: [String] { records.path(index) }
  /// The list of records that computes ``path``. This request is for its record at ``index``.
  let records: any RecordPaths
  /// The index of the record in the plan of the restoration.
  let index: Int
  /// The record, with the values of the kind's present version.
  let record: Record
  /// The identifier of the wanted responder.
  public let identifier: String
  /// The name of the archived kind.
  public let kind: String
  /// The version of the kind with which the record was written.
  public let version: Int
  /// The responder below which the wanted responder will be. This parent may itself not be linked
  /// yet.
  public let parent: Responder
  /// The responder that has the archived path already; nil if none.
  public let existing: Responder?
  /// The application that gets the archived state.
  public let application: Application

  /// Returns the archived value under a key; nil if there is no value, or if it is nil. An object of a
  /// store is read as its `Ref`, because contexts are not there yet.
  ///
  /// The value is also decoded by the responder afterwards, as if it had not been read here.
  ///
  /// - Throws: ``StateError`` if the value is of another type.
  /// - Complexity: O(*v*) for *v* values of the record, and that of reading the value.
  public func value<Value: RestorableValue>(_ key: StateKey<Value>) throws -> Value? {
    guard let values = record.values, let entry = try values.find(key.name) else { return nil }
    var reader = values.reader(entry, nil)
    do {
      return try reader.readNil() ? nil : Value.read(from: &reader)
    } catch is ReferenceIsMissing {
      return nil
    }
  }
}

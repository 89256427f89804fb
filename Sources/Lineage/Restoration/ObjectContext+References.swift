import ObjectGraph

extension ObjectContext {
  /// Returns the object of an archived URI, or the reason why it is missing; nil if the text is not
  /// an object's URI.
  ///
  /// - Complexity: A lookup in each context up to the root. If no context has the object, one row
  ///   is read.
  func outcome(of uri: ArraySlice<UInt8>) -> Result<GraphObject, MissingObject.Cause>? {
    let place: (entity: Int, key: Int64)
    if let own = ownPlace(of: uri) {
      place = own
    } else {
      guard let reference = ObjectReference(utf8: uri) else { return nil }
      do throws(MissingObject.Cause) {
        place = (try entity(of: reference), reference.key)
      } catch {
        return .failure(error)
      }
    }
    do {
      return try graphObject(place.key, place.entity).map { .success($0) } ?? .failure(.deleted)
    } catch {
      return .failure(.unreadable(error))
    }
  }

  /// Returns whether this context or one above holds the object of an archived URI already.
  func holds(_ uri: ArraySlice<UInt8>) -> Bool {
    ownPlace(of: uri).map { isTaken($0.key, $0.entity) } ?? false
  }

  /// Returns the index of a reference's entity in the context's model.
  ///
  /// - Throws: The reason why the context cannot have the object.
  private func entity(of reference: ObjectReference) throws(MissingObject.Cause) -> Int {
    let storeID = storeID
    guard reference.storeID.lowercased() == storeID.lowercased() else {
      throw .wrongStore(expected: storeID)
    }
    guard let entity = model.index(named: reference.entity) else { throw .unknownEntity }
    return entity
  }

  /// Returns the objects of archived URIs and, for each URI without an object, the reason why the
  /// object is missing. One request is made for each 500 objects of an entity. Objects whose rows
  /// cannot be read are in neither result.
  func outcomes(
    of uris: [ArraySlice<UInt8>]
  ) -> (objects: [GraphObject], missing: [ArraySlice<UInt8>: MissingObject]) {
    var objects: [GraphObject] = []
    var missing: [ArraySlice<UInt8>: MissingObject] = [:]
    func addMissing(_ uri: ArraySlice<UInt8>, _ reason: MissingObject.Cause) {
      missing[uri] = ObjectReference(utf8: uri).map { MissingObject(reference: $0, reason: reason) }
    }
    var wanted: [[(key: Int64, uri: ArraySlice<UInt8>)]] = Array(
      repeating: [], count: model.layouts.count)
    for uri in uris {
      if let place = ownPlace(of: uri) {
        wanted[place.entity].append((place.key, uri))
      } else if let reference = ObjectReference(utf8: uri) {
        do throws(MissingObject.Cause) {
          wanted[try entity(of: reference)].append((reference.key, uri))
        } catch {
          addMissing(uri, error)
        }
      }
    }
    for (entity, places) in wanted.enumerated() where !places.isEmpty {
      guard let found = try? graphObjects(places.map(\.key), of: entity) else {
        // If one row cannot be read, the request for all fails. Then the objects are looked up one
        // by one.
        objects += places.compactMap { try? graphObject($0.key, entity) }
        continue
      }
      objects += found.values
      for place in places where found[place.key] == nil { addMissing(place.uri, .deleted) }
    }
    return (objects, missing)
  }

  /// Returns the entity and the id that a URI of this store names. The function reads the bytes
  /// directly, without making a string.
  ///
  /// Returns nil if the URI is of another store, or is not in the usual form, for example because
  /// it has percent-encoded characters. ``ObjectReference`` can read all forms.
  private func ownPlace(of uri: ArraySlice<UInt8>) -> (entity: Int, key: Int64)? {
    let slash = UInt8(ascii: "/")
    let bytes = uri.span
    guard let start = bytes.end(of: "lineage://", at: 0),
      let end = bytes.end(of: storeID, at: start), end < bytes.count, bytes[end] == slash
    else { return nil }
    var nameEnd = end + 1
    while nameEnd < bytes.count, bytes[nameEnd] != slash { nameEnd += 1 }
    guard let entity = model.index(named: bytes.extracting(end + 1..<nameEnd)) else { return nil }
    var key: Int64 = 0
    var place = nameEnd + 1
    while place < bytes.count {
      let digit = bytes[place] &- UInt8(ascii: "0")
      let (tens, isOver) = key.multipliedReportingOverflow(by: 10)
      let (sum, isOverAgain) = tens.addingReportingOverflow(Int64(digit))
      guard digit < 10, !isOver, !isOverAgain else { return nil }
      key = sum
      place += 1
    }
    return key > 0 ? (entity, key) : nil
  }
}

extension Span<UInt8> {
  /// Returns the position after the given text, if this text begins at `start`; otherwise nil.
  fileprivate func end(of text: String, at start: Int) -> Int? {
    let end = start + text.utf8.count
    guard end <= count else { return nil }
    return extracting(start..<end).isEqual(to: text) ? end : nil
  }
}

extension ObjectReference {
  /// Creates a reference from a URI in UTF-8; nil if the text is not an object's URI.
  init?(utf8 uri: ArraySlice<UInt8>) { self.init(String(decoding: uri, as: UTF8.self)) }
}

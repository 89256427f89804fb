import Synchronization

/// An action that can be sent from a responder, with what a program shows of it: an entry of a menu, or
/// a key and a word at the bottom of a terminal.
public struct Offer {
  /// The words for the action.
  public var name: String { offered.name }
  /// The key for the action, in the program's own notation; `nil` if it has none.
  public var key: String? { offered.key }
  /// The responder that offers the action.
  public let responder: Responder
  /// Whether the responder would handle the action now. Each read asks the offer's condition.
  public var isEnabled: Bool { offered.isEnabled(responder) }
  fileprivate let offered: OfferedAction
  fileprivate let sender: Responder

  /// Sends the action, from the responder whose ``Responder/offers`` has this offer. The nearest
  /// handler of the action handles it.
  @discardableResult
  public func send() -> ActionOutcome { offered.send(sender) }
}

extension Responding where Self: Responder {
  /// Handles an action, and offers it by name to all responders below.
  ///
  /// ```swift
  /// form.offer(Command.save, "save", key: "^S", when: { $0.canSave }) { try $0.save() }
  /// ```
  ///
  /// The action is equal to one that is sent, so an enum of commands can have many offers at one
  /// responder. An offer of an equal action is replaced. While the condition is false, the offer is
  /// disabled: it stops the action. An error goes up the tree as a ``Failure``.
  ///
  /// Other actions of the type go to the handler that `on(_:_:)` has set. If the responder has blocked
  /// the type's ``ActionHandler`` before, they end here, as a modal screen wants it. A block that is set
  /// later, and a handler that is set between the block and the first offer, replace what was there.
  ///
  /// - Complexity: That of ``Responder/provide(_:for:file:line:)``, and of copying the responder's offers of this
  ///   type.
  public func offer<Action: Hashable>(
    _ action: Action, _ name: String, key: String? = nil, when isEnabled: ((Self) -> Bool)? = nil,
    _ handle: @escaping (Self) throws -> Void,
    file: StaticString = #fileID, line: Int = #line
  ) {
    let offer = OfferedAction(
      action: action, name: name, key: key, number: 1 + greatestOfferNumber,
      isEnabled: { responder in
        guard let isEnabled else { return true }
        // Without `map`, which is slow in generic code (`key to frame`).
        guard let me = responder as? Self else { return false }
        return isEnabled(me)
      },
      handle: { responder in
        if let me = responder as? Self { me.attempt { try handle(me) } }
      }, send: { $0.send(action) })
    let key = ActionHandler<Action>.self
    var handler = ownValue(key) ?? ActionHandler(isWall: isBlocked(key))
    handler.add(offer)
    offeringTypes.withLock { $0[ObjectIdentifier(key)] = key }
    provide(handler, file: file, line: line)
  }
}

extension Responder {
  /// The named actions that can be sent from here, those of the nearest responder first, and those of
  /// one responder in the order in which they were offered.
  ///
  /// An offer hides later ones of the list with an equal key or an equal action, also while it is
  /// disabled. Offers beyond a block of their ``ActionHandler`` are not included.
  ///
  /// - Complexity: O(*depth* + *s*) for *s* slots on the way, and comparing numbers for each pair of
  ///   offers.
  public final var offers: [Offer] {
    var (found, seen): ([Offer], [OfferedAction]) = ([], [])
    var walls: Set<ObjectIdentifier> = []
    let types = offeringTypes.withLock { $0 }
    var node: Responder? = self
    while let responder = node {
      for offered in responder.ownOffers(of: types, except: &walls)
      where !seen.contains(where: { $0.hasAction(of: offered) }) {
        if !seen.contains(where: { $0.hasKey(of: offered) }) {
          found.append(Offer(responder: responder, offered: offered, sender: self))
        }
        seen.append(offered)
      }
      node = responder.nextResponder
    }
    return found
  }

  /// The greatest number of this responder's own offers.
  fileprivate final var greatestOfferNumber: Int {
    var greatest = 0
    forEachSlot { key, _ in
      let offers = (key as? any Offering.Type)?.offers(of: self).offers ?? []
      greatest = max(greatest, offers.last?.number ?? 0)
    }
    return greatest
  }

  /// Returns whether this responder's own slot blocks a key.
  fileprivate final func isBlocked(_ blocked: any ContextKey.Type) -> Bool {
    var isBlocked = false
    forEachSlot { key, kind in if key == blocked, kind == .block { isBlocked = true } }
    return isBlocked
  }

  /// Returns this responder's own offers, except those beyond walls. Adds the types that it blocks.
  private final func ownOffers(
    of types: OfferingTypes, except walls: inout Set<ObjectIdentifier>
  ) -> [OfferedAction] {
    var offers: [OfferedAction] = []
    forEachSlot { key, kind in
      guard let handlers = types[ObjectIdentifier(key)],
        !walls.contains(ObjectIdentifier(handlers))
      else { return }
      let (added, isWall) = handlers.offers(of: self)
      if kind != .value || isWall { walls.insert(ObjectIdentifier(handlers)) }
      offers = offers.isEmpty ? added : (offers + added).sorted { $0.number < $1.number }
    }
    return offers
  }
}

/// An action that a responder offers. It is an object, and made once, because programs list all offers
/// for each frame (`key to frame`).
final class OfferedAction {
  let action: AnyHashable
  let name: String
  let key: String?
  /// The place among the offers of the responder.
  let number: Int
  let isEnabled: (Responder) -> Bool
  let handle: (Responder) -> Void
  /// A closure that sends the action, as its own type, from a responder.
  let send: (Responder) -> ActionOutcome
  private let actionHash: Int, keyHash: Int

  init(
    action: AnyHashable, name: String, key: String?, number: Int,
    isEnabled: @escaping (Responder) -> Bool, handle: @escaping (Responder) -> Void,
    send: @escaping (Responder) -> ActionOutcome
  ) {
    (self.action, self.name, self.key, self.number) = (action, name, key, number)
    (self.isEnabled, self.handle, self.send) = (isEnabled, handle, send)
    (actionHash, keyHash) = (action.hashValue, key.hashValue)
  }

  func hasAction(of other: OfferedAction) -> Bool {
    actionHash == other.actionHash && action == other.action
  }

  func hasKey(of other: OfferedAction) -> Bool {
    keyHash == other.keyHash && key != nil && key == other.key
  }
}

/// The types of handlers that have offered actions so far. Most types never do, and asking each type by
/// a cast took half of the time of a list of offers.
private typealias OfferingTypes = [ObjectIdentifier: any Offering.Type]
private let offeringTypes = Mutex<OfferingTypes>([:])

/// A key of handlers that may offer actions.
private protocol Offering: ContextKey {
  /// Returns the responder's own offers, in the order of their numbers, and whether all actions of the
  /// type end at the responder.
  static func offers(of responder: Responder) -> (offers: [OfferedAction], isWall: Bool)
}

extension ActionHandler: Offering {
  fileprivate static func offers(
    of responder: Responder
  ) -> (offers: [OfferedAction], isWall: Bool) {
    responder.ownValue(Self.self).map { ($0.offers, $0.isWall) } ?? ([], false)
  }
}

/// Returns whether a key is one of action handlers, of which those above the nearest one are asked,
/// too, if it declines.
package func isOfHandlers(_ key: any ContextKey.Type) -> Bool { key is any Offering.Type }

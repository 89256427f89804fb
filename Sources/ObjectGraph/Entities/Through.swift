/// A many-to-many property. It is computed, and names the two to-one properties of the links between
/// its owner and the targets.
///
/// ```swift
/// struct Membership: Entity {  // a link
///   var deck: Ref<Deck>?
///   var card: Ref<Card>?
///   var position = 0
///   …
/// }
/// struct Deck: Entity {
///   var cards: Through<Membership, Card> { Through(\.deck, \.card, order: \.position) }
///   …
/// }
/// ```
///
/// A link is an entity like any other, so it can have properties of its own. With a `Unique` over its
/// two to-one properties, a target is linked at most once.
public struct Through<Link: Entity, Target: Entity>: Sendable {
  let offsets: LinkOffsets
  let owner: any Entity.Type

  /// Creates a property of the objects to which `target` leads, over all links whose property `owner`
  /// refers to this property's owner. The oldest link comes first.
  public init<Owner: Entity>(
    _ owner: any KeyPath<Link, Ref<Owner>?> & Sendable,
    _ target: any KeyPath<Link, Ref<Target>?> & Sendable
  ) {
    self.init(owner, target, orderOffset: nil, hasOrder: false)
  }

  /// Creates a property whose objects are in the order of a position that each link has.
  ///
  /// Inserting and moving keep gaps between the positions, so that they rarely change other links.
  /// Declare the position as `Attribute("position", \.position, onConflict: .mine)`: two people may
  /// then move the same link, and the last save counts.
  public init<Owner: Entity>(
    _ owner: any KeyPath<Link, Ref<Owner>?> & Sendable,
    _ target: any KeyPath<Link, Ref<Target>?> & Sendable,
    order: any WritableKeyPath<Link, Int> & Sendable
  ) {
    self.init(owner, target, orderOffset: MemoryLayout<Link>.offset(of: order), hasOrder: true)
  }

  private init<Owner: Entity>(
    _ owner: KeyPath<Link, Ref<Owner>?>, _ target: KeyPath<Link, Ref<Target>?>,
    orderOffset: Int?, hasOrder: Bool
  ) {
    offsets = LinkOffsets(
      owner: MemoryLayout<Link>.offset(of: owner), target: MemoryLayout<Link>.offset(of: target),
      order: orderOffset, hasOrder: hasOrder)
    self.owner = Owner.self
  }
}

/// The columns of a link by which a many-to-many property finds its objects.
struct LinkColumns: Sendable {
  let owner: Int
  let target: Int
  /// The column of the position; nil if the links have no order of their own.
  let order: Int?
}

/// The places in a link's struct by which a many-to-many property finds its objects.
struct LinkOffsets: Sendable {
  let owner: Int?
  let target: Int?
  let order: Int?
  /// Whether the links have an order of their own.
  let hasOrder: Bool

  /// Returns the columns at the places; nil if the link's schema lacks one of them by mistake.
  func columns(of layout: Layout) -> LinkColumns? {
    guard let owner = owner.flatMap(layout.column(at:)),
      let target = target.flatMap(layout.column(at:))
    else { return nil }
    let order = order.flatMap(layout.column(at:))
    return hasOrder && order == nil
      ? nil : LinkColumns(owner: owner, target: target, order: order)
  }
}

extension Through {
  /// The columns of the link; nil if the link's schema lacks one of them by mistake.
  var columns: LinkColumns? { offsets.columns(of: Link.layout) }
}

extension ToMany {
  /// Creates a many-to-many property.
  ///
  /// The rule says what a deletion of the owner does with the links; it never deletes a target. If
  /// the schema of the target does not declare its side, a deletion of a target deletes its links.
  public init<Link: Entity, Target: Entity>(
    _ name: String, _ path: any KeyPath<Root, Through<Link, Target>> & Sendable,
    onDelete rule: DeleteRule = .cascade
  ) {
    let through = Root()[keyPath: path]
    part = SchemaPart(
      name: name,
      form: .toMany(
        ToManyRelation(
          name: name, target: Link.self, rule: rule, inverseOffset: through.offsets.owner,
          isOwn: through.owner == Root.self,
          through: ThroughRelation(target: Target.self, offsets: through.offsets))))
  }
}

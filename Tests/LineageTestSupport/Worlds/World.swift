package import ObjectGraph

import Foundation

/// A random set of samples and groups that refer to each other, as plain values.
package struct World {
  package private(set) var samples: [Row<Sample>] = []
  package private(set) var groups: [Row<Group>] = []
  private var sampleIndices: [Ref<Sample>: Int] = [:]
  private var groupIndices: [Ref<Group>: Int] = [:]

  /// One object of the world, with its id.
  package struct Row<Value: Entity> {
    package let id: Ref<Value>
    package var value: Value
  }

  /// Creates a random world. A seed gives the same world on every machine.
  package init(seed: UInt64, samples count: Int = 40, groups groupCount: Int = 8) {
    var random = SplitMix64(seed: seed)
    let sampleIDs = (0..<count).map { Ref<Sample>(key: Int64($0 * 3 + 1)) }
    let groupIDs = (0..<groupCount).map { Ref<Group>(key: Int64($0 * 2 + 1)) }
    for id in sampleIDs {
      sampleIndices[id] = samples.count
      samples.append(Row(id: id, value: .random(&random, sampleIDs, groupIDs)))
    }
    for id in groupIDs {
      groupIndices[id] = groups.count
      groups.append(Row(id: id, value: .random(&random, sampleIDs)))
    }
  }

  package subscript(ref: Ref<Sample>?) -> Row<Sample>? {
    ref.flatMap { sampleIndices[$0] }.map { samples[$0] }
  }

  package subscript(ref: Ref<Group>?) -> Row<Group>? {
    ref.flatMap { groupIndices[$0] }.map { groups[$0] }
  }

  /// Returns the writes that insert all objects of the world into an empty store.
  package func writes(in model: Model) -> [Write] {
    samples.map { .insert($0.id, $0.value, in: model) }
      + groups.map { .insert($0.id, $0.value, in: model) }
  }
}

extension Sample {
  fileprivate static func random(
    _ random: inout SplitMix64, _ samples: [Ref<Sample>], _ groups: [Ref<Group>]
  ) -> Sample {
    var sample = Sample()
    sample.flag = random.chance(50)
    sample.number = random.pick(Pool.integers)
    sample.small = random.pick(Pool.ends())
    sample.short = random.pick(Pool.ends())
    sample.medium = random.pick(Pool.ends())
    sample.long = random.pick(Pool.ends())
    sample.size = random.pick(Pool.storable())
    sample.byte = random.pick(Pool.ends())
    sample.word = random.pick(Pool.ends())
    sample.wide = random.pick(Pool.ends())
    sample.huge = random.pick(Pool.storable())
    sample.score = random.pick(Pool.doubles)
    sample.ratio = random.pick(Pool.floats)
    sample.price = random.pick(Pool.decimals)
    sample.text = random.text()
    sample.bytes = random.pick(Pool.datas)
    sample.time = random.pick(Pool.dates)
    sample.token = random.pick(Pool.uuids)
    sample.link = random.pick(Pool.links)
    sample.mood = random.pick(Sample.Mood.allCases)
    sample.maybeFlag = random.maybe { $0.chance(50) }
    sample.maybeNumber = random.maybe { $0.pick(Pool.integers) }
    sample.maybeSmall = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeShort = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeMedium = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeLong = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeSize = random.maybe { $0.pick(Pool.storable()) }
    sample.maybeByte = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeWord = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeWide = random.maybe { $0.pick(Pool.ends()) }
    sample.maybeHuge = random.maybe { $0.pick(Pool.storable()) }
    sample.maybeRatio = random.maybe { $0.pick(Pool.floats) }
    sample.maybeScore = random.maybe { $0.pick(Pool.doubles) }
    sample.maybePrice = random.maybe { $0.pick(Pool.decimals) }
    sample.maybeText = random.maybe { $0.text() }
    sample.maybeBytes = random.maybe { $0.pick(Pool.datas) }
    sample.maybeTime = random.maybe { $0.pick(Pool.dates) }
    sample.maybeToken = random.maybe { $0.pick(Pool.uuids) }
    sample.maybeLink = random.maybe { $0.pick(Pool.links) }
    sample.maybeRank = random.maybe { $0.pick(Sample.Rank.allCases) }
    sample.maybeTags = random.maybe { [$0.text()] }
    sample.group = groups.isEmpty ? nil : random.maybe { $0.pick(groups) }
    sample.friend = random.maybe { $0.pick(samples) }
    return sample
  }
}

extension Group {
  fileprivate static func random(_ random: inout SplitMix64, _ samples: [Ref<Sample>]) -> Group {
    var group = Group()
    group.name = random.text()
    group.weight = random.maybe { $0.pick(Pool.integers) }
    group.leader = samples.isEmpty ? nil : random.maybe { $0.pick(samples) }
    return group
  }
}

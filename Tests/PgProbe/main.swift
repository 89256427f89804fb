import Foundation
import LineageTestSupport
import ObjectGraph
@testable import PostgresStorage
let only = CommandLine.arguments.dropFirst().first
var bad = 0
for (index, law) in StoreLaw.all.enumerated()
where only.map({ law.description.contains($0) || "\(index)" == $0 }) ?? true {
  var options = PostgresOptions("host=/tmp/pg port=54329 user=postgres dbname=postgres")
  options.schema = "t\(index)"
  options.maximumConnections = 4
  let connection = try Connecting(options).connect()
  for name in [options.schema, options.schema + "_lineage"] {
    try connection.run("DROP SCHEMA IF EXISTS \"\(name)\" CASCADE", until: Deadline(in: 30))
  }
  do {
    let start = ContinuousClock.now
    let store = try await PostgresStore.open(options, StoreLaw.entities)
    defer { store.close() }
    try law.check(store)
    print("ok ", index, law, ContinuousClock.now - start)
  } catch { bad += 1; print("BAD", index, law, error) }
}
print(bad, "of", StoreLaw.all.count, "broken")

// swift-tools-version: 6.2
import PackageDescription

var settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

// CI lets no warning pass; whoever builds with a newer compiler is not kept from it.
if Context.environment["LINEAGE_STRICT"] != nil {
  settings.append(.treatAllWarnings(as: .error))
}

let package = Package(
  name: "Lineage",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Lineage", targets: ["Lineage"]),
    .library(name: "ResponderChain", targets: ["ResponderChain"]),
    .executable(name: "Benchmarks", targets: ["Benchmarks"]),
  ],
  targets: [
    .systemLibrary(name: "CReferences"),
    .target(name: "ResponderChain", dependencies: ["CReferences"], swiftSettings: settings),
    .target(name: "ObjectGraph", dependencies: ["CReferences"], swiftSettings: settings),
    .target(name: "SQLStorage", dependencies: ["ObjectGraph"], swiftSettings: settings),
    .systemLibrary(
      name: "CLineageSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLiteStorage", dependencies: ["CLineageSQLite", "ObjectGraph", "SQLStorage"],
      swiftSettings: settings),
    .target(
      name: "Lineage", dependencies: ["ObjectGraph", "ResponderChain", "SQLiteStorage"],
      swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks", dependencies: ["CLineageSQLite", "Lineage"], path: "Benchmarks",
      swiftSettings: settings),
    .target(name: "CAllocations", path: "Tests/CAllocations"),
    .target(name: "CThreadSanitizer", path: "Tests/CThreadSanitizer"),
    .target(
      name: "TestSupport", dependencies: ["CThreadSanitizer", "ObjectGraph", "ResponderChain"],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "ResponderChainTests",
      dependencies: ["CAllocations", "ResponderChain", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ObjectGraphTests", dependencies: ["ObjectGraph", "SQLiteStorage", "TestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "StoreProbe", dependencies: ["CLineageSQLite", "Lineage", "TestSupport"],
      path: "Tests/StoreProbe", swiftSettings: settings),
    .testTarget(
      name: "SQLiteStoreTests",
      dependencies: ["CAllocations", "SQLiteStorage", "ObjectGraph", "StoreProbe", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LineageTests", dependencies: ["CThreadSanitizer", "Lineage", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "MainActorByDefaultTests", dependencies: ["Lineage"],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "EndToEndTests", dependencies: ["Benchmarks", "Lineage", "TestSupport"],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

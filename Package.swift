// swift-tools-version: 6.3
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

// These modules mark each use of unsafe code, all of which lies in few files.
let memorySafeSettings = settings + [.strictMemorySafety()]

let package = Package(
  name: "Lineage",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
  products: [
    .library(name: "Lineage", targets: ["Lineage"]),
    .library(name: "ResponderChain", targets: ["ResponderChain"]),
    .library(name: "ObjectGraph", targets: ["ObjectGraph"]),
    .library(name: "SQLiteStorage", targets: ["SQLiteStorage"]),
    .library(name: "PostgresStorage", targets: ["PostgresStorage"]),
    .library(name: "StateRestoration", targets: ["StateRestoration"]),
    .executable(name: "lineage-state", targets: ["LineageState"]),
    .executable(name: "flashcards", targets: ["FlashCardsApp"]),
  ],
  traits: [
    .trait(name: "Postgres", description: "Stores on a PostgreSQL server. They need libpq.")
  ],
  targets: [
    .target(name: "CLineageRuntime"),
    .target(
      name: "ResponderChain", dependencies: ["CLineageRuntime"],
      swiftSettings: memorySafeSettings),
    .target(
      name: "ObjectGraph", dependencies: ["CLineageRuntime"], swiftSettings: memorySafeSettings),
    .target(name: "SQLStorage", dependencies: ["ObjectGraph"], swiftSettings: memorySafeSettings),
    .target(
      name: "LineageFiles", dependencies: ["CLineageRuntime"], swiftSettings: memorySafeSettings),
    .systemLibrary(
      name: "CLineageSQLite", pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
    .target(
      name: "SQLiteStorage",
      dependencies: ["CLineageSQLite", "LineageFiles", "ObjectGraph", "SQLStorage"],
      swiftSettings: memorySafeSettings),
    .systemLibrary(
      name: "CLineagePostgres", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "PostgresStorage",
      dependencies: [
        .target(name: "CLineagePostgres", condition: .when(traits: ["Postgres"])),
        "ObjectGraph", "SQLStorage",
      ],
      swiftSettings: memorySafeSettings),
    .target(
      name: "StateRestoration", dependencies: ["LineageFiles", "ResponderChain"],
      swiftSettings: memorySafeSettings),
    .executableTarget(
      name: "LineageState", dependencies: ["LineageFiles", "StateRestoration"],
      swiftSettings: settings),
    .target(
      name: "Lineage",
      dependencies: [
        "LineageFiles", "ObjectGraph", "PostgresStorage", "ResponderChain", "SQLiteStorage",
        "StateRestoration",
      ],
      swiftSettings: memorySafeSettings),
    .target(name: "LineageTerminal", swiftSettings: memorySafeSettings),
    .executableTarget(
      name: "FlashCardsApp", dependencies: ["Lineage", "LineageTerminal"],
      swiftSettings: memorySafeSettings),
    .executableTarget(
      name: "LiveSessions", dependencies: ["Lineage"], swiftSettings: settings),
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        .target(name: "CLineagePostgres", condition: .when(traits: ["Postgres"])),
        "CLineageSQLite", "FlashCardsApp", "Lineage", "LineagePseudoTerminal",
      ],
      path: "Benchmarks", exclude: ["RESULTS.md", "RESULTS-POSTGRES.md"], swiftSettings: settings),
    .target(
      name: "LineagePseudoTerminal", path: "Tests/LineagePseudoTerminal",
      swiftSettings: settings),
    .target(name: "CLineageAllocations", path: "Tests/CLineageAllocations"),
    .target(name: "CLineageThreadSanitizer", path: "Tests/CLineageThreadSanitizer"),
    .target(
      name: "LineageTestSupport",
      dependencies: [
        "CLineageThreadSanitizer", "LineageFiles", "ObjectGraph", "ResponderChain", "SQLStorage",
      ],
      path: "Tests/LineageTestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "ResponderChainTests",
      dependencies: ["CLineageAllocations", "ResponderChain", "LineageTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "ObjectGraphTests",
      dependencies: ["ObjectGraph", "PostgresStorage", "SQLiteStorage", "LineageTestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "LineageStoreProbe", dependencies: ["CLineageSQLite", "Lineage", "LineageTestSupport"],
      path: "Tests/LineageStoreProbe", swiftSettings: settings),
    .testTarget(
      name: "SQLiteStorageTests",
      dependencies: [
        "CLineageAllocations", "SQLiteStorage", "ObjectGraph", "LineageTestSupport",
      ],
      swiftSettings: settings),
    .target(
      name: "LineageJournalStore", dependencies: ["ObjectGraph"],
      path: "Tests/LineageJournalStore", swiftSettings: settings),
    .testTarget(
      name: "LineageJournalStoreTests",
      dependencies: ["Lineage", "LineageJournalStore", "LineageTestSupport", "ObjectGraph"],
      swiftSettings: settings),
    .testTarget(
      name: "PostgresStorageTests",
      dependencies: ["LineageTestSupport", "ObjectGraph", "PostgresStorage"],
      swiftSettings: settings),
    .testTarget(
      name: "LineageFilesTests", dependencies: ["LineageFiles", "LineageTestSupport"],
      swiftSettings: settings),
    .executableTarget(
      name: "LineageStateProbe",
      dependencies: ["LineageFiles", "LineageTestSupport", "ResponderChain", "StateRestoration"],
      path: "Tests/LineageStateProbe", swiftSettings: settings),
    .testTarget(
      name: "StateRestorationTests",
      dependencies: [
        "CLineageAllocations", "LineageFiles", "LineageTestSupport", "ResponderChain",
        "StateRestoration",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LineageStateTests",
      dependencies: ["LineageState", "LineageTestSupport", "ResponderChain", "StateRestoration"],
      swiftSettings: settings),
    .testTarget(
      name: "LineageTerminalTests", dependencies: ["LineageTestSupport", "LineageTerminal"],
      swiftSettings: settings),
    .testTarget(
      name: "LineageTests",
      dependencies: [
        "CLineageAllocations", "CLineageThreadSanitizer", "Lineage", "LineageFiles",
        "LineageTestSupport",
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "LineageEditProbe", dependencies: ["Lineage", "LineageTestSupport"],
      path: "Tests/LineageEditProbe", swiftSettings: settings),
    .testTarget(
      name: "SecondOracleTests",
      dependencies: ["Lineage", "LineageEditProbe", "LineageFiles", "LineageTestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "LineageMainActorTests", dependencies: ["Lineage"],
      swiftSettings: settings + [.defaultIsolation(MainActor.self)]),
    // The probes are programs that the tests of stores and of state restoration start. SwiftPM
    // compiles the targets that depend on programs last. So this small target depends on the
    // probes. If the two large ones did, one of them would be compiled at the end, on one core.
    .testTarget(
      name: "FlashCardsTests",
      dependencies: [
        "CLineageSQLite", "FlashCardsApp", "Lineage", "LineagePseudoTerminal", "LineageTerminal",
        "LineageTestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "LineageEndToEndTests",
      dependencies: [
        "Benchmarks", "Lineage", "LineageStateProbe", "LineageStoreProbe", "LineageTestSupport",
        "LiveSessions",
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)

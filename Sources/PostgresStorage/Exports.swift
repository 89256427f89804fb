@_exported public import ObjectGraph
@_exported public import SQLStorage

#if !Postgres
/// A store on a PostgreSQL server. It needs the package's trait `Postgres`.
@available(
  *, unavailable,
  message: "turn on the trait in Package.swift: .package(url: …, traits: [\"Postgres\"])"
)
public enum PostgresStore {}
#endif

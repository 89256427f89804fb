#if Postgres
public import Foundation

/// The options for opening a store on a PostgreSQL server.
public struct PostgresOptions: Sendable {
  /// The address of the server, as libpq takes it: `postgresql://user@host/database`, or keywords such
  /// as `host=… dbname=…`. What it lacks is taken from the environment.
  ///
  /// Connections to other machines are encrypted, and the server's certificate is verified, unless the
  /// address or the environment says otherwise.
  public var address: String
  /// The schema that has the entities' tables. The store's own tables are in `lineage`, or in
  /// `<schema>_lineage` if the schema is another than `public`.
  public var schema = "public"
  /// Whether the opening creates and changes tables.
  public var schemaManagement = SchemaManagement.create
  /// The greatest number of connections for reading. The store has one more for saves, and one for news.
  public var maximumConnections = 10
  /// The number of seconds to wait for a connection while all of them are in use.
  public var acquireTimeout = 5.0
  /// The number of seconds that the server may take for one statement.
  public var statementTimeout = 30.0
  /// The number of seconds to wait for rows that another save has locked.
  public var lockTimeout = 5.0
  /// The number of seconds to wait for a new connection.
  public var connectTimeout = 5.0
  /// The number of seconds after which the store ends a moment (read transaction) in which nothing was
  /// read. The next read begins another one.
  public var idleMoment = 1.0
  /// The greatest number of rows that a read may examine itself; nil for no limit. It is meant for
  /// requests from outside the program. A request that needs more throws `tooLong`.
  public var readLimit: Int?
  /// A closure that returns the password for each new connection, for example a short-lived token; nil
  /// if the password is in the address, the environment or the password file.
  public var password: (@Sendable () throws -> String)?
  /// The number of seconds after which a trip to the server is told as ``PostgresEvent/slow(statement:seconds:)``.
  public var slowTrip = 1.0
  /// A closure that hears what the store does and meets. It is called on any thread, and must return soon.
  public var onEvent: (@Sendable (PostgresEvent) -> Void)?
  /// The clock for `SaveMoment/date`.
  public var now: @Sendable () -> Date = { Date() }

  /// The way in which the opening deals with tables.
  public enum SchemaManagement: Sendable {
    /// Missing tables are created, and older ones are brought up to date.
    case create
    /// All tables exist and are up to date, because somebody else has made them. The role of the
    /// program then needs no right to create anything.
    case assumeExists
  }

  /// Creates options for an address.
  public init(_ address: String) { self.address = address }

  /// The schema of the store's own tables.
  var ownSchema: String { schema == "public" ? "lineage" : schema + "_lineage" }
  /// The seconds between two rounds in which stores clean the log of commits.
  package var cleaningInterval = 600.0
  /// The seconds after which the server ends a transaction that waits for the program.
  var serverIdleLimit: Double { 10 }
}

extension PostgresOptions: CustomStringConvertible, CustomReflectable {
  /// The address as a URL without user and password, which can be shown.
  public var url: URL { (try? ServerAddress(address))?.url ?? URL(filePath: "/") }

  /// The address without user and password.
  public var description: String { url.absoluteString }

  /// A mirror that shows no password.
  public var customMirror: Mirror { Mirror(self, children: ["url": url, "schema": schema]) }
}
#endif

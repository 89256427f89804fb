@_exported public import ObjectGraph
@_exported public import PostgresStorage
@_exported public import ResponderChain
@_exported public import SQLiteStorage
@_exported public import StateRestoration

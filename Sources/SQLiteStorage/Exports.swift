@_exported public import ObjectGraph
@_exported public import SQLStorage

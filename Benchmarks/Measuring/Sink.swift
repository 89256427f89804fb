/// The variable in which lookups store their results, so that the compiler cannot omit retaining a
/// result.
///
/// A global variable outlives every function that the optimiser can see. Only the main actor uses
/// this variable. It is not isolated, because the compiler would then write it in another way than
/// a client's variable.
nonisolated(unsafe) var sink: Token?

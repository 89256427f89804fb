/// The variable that receives a lookup's result, so that the compiler must retain the result.
///
/// A global variable outlives every function that the optimiser can see. Only the main actor reads
/// and writes it. It is not isolated, because the write would then differ from a client's write.
nonisolated(unsafe) var sink: Token?

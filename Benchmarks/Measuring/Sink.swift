/// Where a lookup's result goes, so that the compiler has to retain it for real.
///
/// A global: it outlives every function that the optimiser can see. It is written and read by
/// the main actor only; isolating it would make the write a different one from a client's.
nonisolated(unsafe) var sink: Token?

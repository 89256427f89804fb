/// A mistake in arguments, scripts or files, or an object that has gone, in words for the user.
struct Mistake: Error, CustomStringConvertible { let description: String }

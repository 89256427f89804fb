/// A mistake in arguments, scripts or files, or an object that has gone, in words for the user.
package struct Mistake: Error, CustomStringConvertible { package let description: String }

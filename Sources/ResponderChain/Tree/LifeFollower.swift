/// An object of another module that follows the life of an application.
package protocol LifeFollower: AnyObject {
  /// Tells the follower of a step, after the application's method of the same name and before
  /// ``Application/onLife``.
  func application(_ application: Application, didReach event: Application.LifeEvent)
}

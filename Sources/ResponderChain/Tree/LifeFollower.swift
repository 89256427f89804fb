/// An object of another module that is told of each step in an application's life.
package protocol LifeFollower: AnyObject {
  /// Tells the follower of a step. This function is called after the application's method that has
  /// the step's name, and before ``Application/onLife``.
  func application(_ application: Application, didReach event: Application.LifeEvent)
}

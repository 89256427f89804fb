import Foundation
package import ObjectGraph
import Synchronization

/// A store that makes the readers of lists wait, until a test lets them read.
///
/// A test reads in a task. The readers of lists that load elsewhere work on a thread without one.
package final class PausedStore: ForwardingStore {
  package let base: any ObjectStore
  private let isPaused = Atomic(true)

  package init(_ base: any ObjectStore) { self.base = base }

  package func makeReader() throws -> any StoreReader {
    let isElsewhere = withUnsafeCurrentTask { $0 == nil }
    while isElsewhere, isPaused.load(ordering: .sequentiallyConsistent) { usleep(50) }
    return try base.makeReader()
  }

  /// Lets all readers of the lists read all ids, in the present moment of the store.
  package func letRead(for lists: [LiveList<Note>]) {
    isPaused.store(false, ordering: .sequentiallyConsistent)
    while lists.contains(where: \.isReading) { usleep(50) }
    isPaused.store(true, ordering: .sequentiallyConsistent)
  }

  /// Lets all later readers of lists read at once.
  package func resume() { isPaused.store(false, ordering: .sequentiallyConsistent) }
}

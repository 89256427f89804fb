/// Where a list reads the rows of its request.
///
/// Most lists are short, and are read ``atOnce``. A list of many thousand rows would block its tree for
/// longer than a frame; ``elsewhere`` shows the first rows as soon as they are found, and the others as
/// they arrive:
///
/// ```swift
/// let list = try LiveList(request, in: context, loading: .elsewhere)
/// let token = list.observe { list, _ in
///   title = list.isComplete ? "\(list.count) cards" : "\(list.count) cards so far"
/// }
/// list.request.filter = Filter { $0.question.contains(text) }  // cancels, and begins anew
/// ```
public enum ListLoading: Sendable {
  /// The list fetches all rows before its initializer, or the setter of its request, returns.
  case atOnce
  /// A reader on another thread finds the rows, and the list takes them in slices. So the list is
  /// empty at first, and ``LiveList/isComplete`` is false until it has all rows.
  ///
  /// A slice is applied where commits of others are merged: in a turn of the tree's mailbox with at most
  /// 100 rows, by a loop over ``LiveList/updates`` that waits with at most 200, or with all rows that
  /// have arrived by ``ObjectContext/merge()``. These laws hold:
  ///
  /// 1. Each row matches the filter and stands in the order, by the values that the context shows.
  ///    Edits and commits are applied as always, also to rows that have not arrived. So an incomplete
  ///    list lacks rows, and has no wrong ones.
  /// 2. A complete list has the same rows, in the same order, as one that was read at once.
  /// 3. Observers get each row once, after the slice that brought it.
  ///
  /// A new request cancels the loading of the one before. The rows of the former request stay, and
  /// follow changes, until the first rows of the new one replace them. A row that is in both, and among
  /// the first ones, stays: observers hear neither of a deletion nor of an insertion. If the former
  /// request was fetched at once, the list is empty meanwhile.
  /// If nobody retains the list any more, its loading is cancelled, too.
  ///
  /// An error of the reader makes the list ``ListState/stale(_:)``. It begins to load again after the
  /// next operation, or when ``LiveList/refresh()`` is called, which does not wait for the rows.
  ///
  /// Three kinds of requests are fetched at once nevertheless, because their rows cannot be judged one
  /// by one: those with a limit or an offset, those whose filter, order or sections use related
  /// objects, and all requests in a draft. Relations to prefetch are not read for rows that arrive
  /// later. A ``WindowedList`` reads few rows, and always at once.
  case elsewhere
}

import CLineageSQLite
import ObjectGraph

extension DatabaseHandle {
  /// Installs an authorizer. SQLite keeps its address, so it must outlive the handle.
  func attach(_ authorizer: Authorizer) { unsafe authorizer.attach(to: pointer) }

  /// Prepares a statement of a program, and finds out what it reads.
  ///
  /// - Throws: `StatementRefusal` if the text is not one statement that only reads, or if not each of
  ///   the parameters stands in it as a value.
  func prepareRead(
    _ sql: String, _ activity: Activity, _ authorizer: Authorizer, parameters: Int
  ) throws -> (Statement, tables: Set<String>) {
    guard !sql.utf8.contains(0) else { throw StatementRefusal(message: "its text has a NUL") }
    var text = sql
    let (prepared, tables) = try text.withUTF8 { bytes in
      try unsafe prepareRead(bytes, authorizer, parameters: parameters)
    }
    return (unsafe Statement(sql, handle: prepared, activity: activity), tables)
  }

  private func prepareRead(
    _ bytes: UnsafeBufferPointer<UInt8>, _ authorizer: Authorizer, parameters: Int
  ) throws -> (OpaquePointer, tables: Set<String>) {
    let start = unsafe UnsafeRawPointer(bytes.baseAddress) ?? Statement.nothing
    let text = unsafe start.assumingMemoryBound(to: CChar.self)
    var rest: UnsafePointer<CChar>? = unsafe text
    let (prepared, tables) = unsafe try authorizer.judging {
      try unsafe prepare(text, bytes.count, &rest)
    }
    guard let prepared = unsafe prepared else {
      throw StatementRefusal(message: "it contains no statement")
    }
    do {
      let read = unsafe rest.map { unsafe $0 - text } ?? bytes.count
      guard unsafe isBlank(text + read, bytes.count - read, authorizer) else {
        throw StatementRefusal(message: "it is more than one statement")
      }
      // VACUUM is the one writing statement of which the authorizer does not hear.
      guard unsafe sqlite3_stmt_readonly(prepared) != 0,
        unsafe sqlite3_stmt_isexplain(prepared) == 0,
        unsafe sqlite3_column_count(prepared) > 0
      else { throw StatementRefusal(message: "it is no statement that reads rows") }
      // A placeholder in a quoted text or in a comment is no parameter.
      let places = unsafe sqlite3_bind_parameter_count(prepared)
      let hasAll = (0..<places).allSatisfy {
        unsafe sqlite3_bind_parameter_name(prepared, $0 + 1) != nil
      }
      guard hasAll, Int(places) == parameters else {
        throw StatementRefusal(
          message: "its parameters must be interpolated, and not within quotes or comments")
      }
    } catch {
      unsafe sqlite3_finalize(prepared)
      throw error
    }
    return unsafe (prepared, tables)
  }

  /// Prepares the first statement of a text, which is nil if there is none.
  private func prepare(
    _ start: UnsafePointer<CChar>, _ count: Int, _ rest: inout UnsafePointer<CChar>?
  ) throws -> OpaquePointer? {
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      pointer, start, Int32(clamping: count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, &rest)
    guard code == SQLITE_OK else { throw fault }
    return unsafe prepared
  }

  /// Returns whether a text contains only white space, comments and semicolons.
  private func isBlank(
    _ start: UnsafePointer<CChar>, _ count: Int, _ authorizer: Authorizer
  ) -> Bool {
    var done = 0
    while done < count {
      let next = unsafe start + done
      var rest: UnsafePointer<CChar>? = unsafe next
      // A statement after the first one is refused, whether or not it can be prepared.
      let other: OpaquePointer?
      do {
        unsafe other = try authorizer.judging { try unsafe prepare(next, count - done, &rest) }.0
      } catch {
        return false
      }
      guard unsafe other == nil else {
        unsafe sqlite3_finalize(other)
        return false
      }
      let read = unsafe rest.map { unsafe $0 - next } ?? 0
      guard read > 0 else { return true }
      done += read
    }
    return true
  }
}

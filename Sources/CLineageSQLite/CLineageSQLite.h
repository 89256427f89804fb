// The system's SQLite, and a function for the one call that Swift cannot make, because the C
// function is variadic.
#include <sqlite3.h>

static inline int lineage_sqlite_configure(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

// The system's SQLite, and the one call of it that Swift cannot make: its arguments vary.
#include <sqlite3.h>

static inline int lineage_sqlite_configure(sqlite3 *connection, int option, int value) {
  return sqlite3_db_config(connection, option, value, (int *)0);
}

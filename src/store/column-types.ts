/** The types of values that columns hold in every table. */

/** ISO 8601 in UTC with milliseconds. Sorts as text. */
export type Time = string
/** JSON or text sealed by the vault, bound to its table, column and row. sealed.ts lists these columns. */
export type Sealed = string
/** A boolean: SQLite has no such type. */
export type Flag = 0 | 1

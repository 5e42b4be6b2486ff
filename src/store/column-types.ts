/** The types of column values that several tables use. */

/** A time in ISO 8601, UTC, with milliseconds. Times sort as text. */
export type Time = string
/** JSON or text that the vault has sealed for its table, column and row. sealed.ts lists these columns. */
export type Sealed = string
/** A boolean. SQLite has no boolean type. */
export type Flag = 0 | 1

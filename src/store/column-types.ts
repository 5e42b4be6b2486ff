/** The types of values that columns hold in every table. */

/** ISO 8601 in UTC with milliseconds: sorts as text. */
export type Time = string
/** JSON or text sealed by the vault, bound to this table, column and row; sealed.ts lists these columns. */
export type Sealed = string
export type Flag = 0 | 1

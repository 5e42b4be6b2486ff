/** JSON in a column, typed by its value: a sentence or another value's JSON is not assignable to the column. */

declare const value: unique symbol

/** The JSON text of a `T`. */
export type Json<T> = string & { readonly [value]: T }

export const toJson = <T>(it: T): Json<T> => JSON.stringify(it) as Json<T>

export function fromJson<T>(text: Json<T>): T
export function fromJson<T>(text: Json<T> | null): T | null
export function fromJson<T>(text: Json<T> | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

/** A copy of the value with `change` applied to every text in it, however deep; `key` is the name of its field. */
export function mapTexts<T>(it: T, change: (text: string, key: string) => string): T {
  return JSON.parse(JSON.stringify(it), (key, part: unknown) =>
    typeof part === 'string' ? change(part, key) : part,
  ) as T
}

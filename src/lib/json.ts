/** JSON text typed by its value, for columns: other text, or the JSON of another type, cannot be assigned. */

declare const value: unique symbol

/** The JSON text of a `T`. */
export type Json<T> = string & { readonly [value]: T }

export const toJson = <T>(it: T): Json<T> => JSON.stringify(it) as Json<T>

export function fromJson<T>(text: Json<T>): T
export function fromJson<T>(text: Json<T> | null): T | null
export function fromJson<T>(text: Json<T> | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

/** Returns a copy with `change` applied to every string at any depth. `key` is the name of the field that holds it. */
export function mapTexts<T>(it: T, change: (text: string, key: string) => string): T {
  return JSON.parse(JSON.stringify(it), (key, part: unknown) =>
    typeof part === 'string' ? change(part, key) : part,
  ) as T
}

/** A string type for JSON columns: TypeScript rejects plain text and the JSON of another type. */
import type { z } from 'zod'

declare const value: unique symbol

/** The JSON text of a `T`. */
export type Json<T> = string & { readonly [value]: T }

export const toJson = <T>(content: T): Json<T> => JSON.stringify(content) as Json<T>

export function fromJson<T>(text: Json<T>): T
export function fromJson<T>(text: Json<T> | null): T | null
export function fromJson<T>(text: Json<T> | null): T | null {
  return text === null ? null : (JSON.parse(text) as T)
}

/**
 * Returns a copy with `change` applied to every string at any depth. `key` is the name of the string's field, or its
 * index.
 */
export function mapTexts<T>(content: T, change: (text: string, key: string) => string): T {
  return JSON.parse(JSON.stringify(content), (key, part: unknown) =>
    typeof part === 'string' ? change(part, key) : part,
  ) as T
}

/** Parses text from outside, such as from a bucket or a tool. Returns null if it is not JSON or not of this shape. */
export function readJson<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}

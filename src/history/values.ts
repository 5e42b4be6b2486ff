/**
 * Values of a series as bytes: two bytes for each value, the upper half of a 32-bit float (bfloat16). A value is kept to
 * 0.4 %, which is finer than a plot, over the whole range of a float. Pure.
 */

/** What stands for a value that was not measured. */
const missing = 0x7fc0

const float = new Float32Array(1)
const bits = new Uint32Array(float.buffer)

/** Returns `length` values, none of which was measured. */
export const emptyValues = (length: number): Uint16Array => new Uint16Array(length).fill(missing)

/** Rounds a value to two bytes. A value that is no finite number counts as not measured. */
export function packed(value: number | null): number {
  if (value === null || !Number.isFinite(Math.fround(value))) return missing
  float[0] = value
  const rounded = (bits[0]! + 0x8000) >>> 16
  // Rounding up the largest floats would give infinity.
  return (rounded & 0x7f80) === 0x7f80 ? rounded - 1 : rounded
}

/** The value of two bytes; null: it was not measured. */
export function unpacked(stored: number): number | null {
  if (stored === missing) return null
  bits[0] = stored << 16
  return float[0]!
}

/** The bytes of values, little-endian. */
export const bytesOf = (values: Uint16Array): Uint8Array =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength)

/** Reads bytes of `bytesOf`. Bytes of another length are a fault of the file, and count as no values. */
export function valuesFrom(bytes: Uint8Array | undefined, length: number): Uint16Array {
  if (bytes?.byteLength !== length * 2) return emptyValues(length)
  return new Uint16Array(bytes.slice().buffer)
}

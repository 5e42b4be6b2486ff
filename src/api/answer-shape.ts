/** The response schemas of values that a caller sets: derived from the input schemas, so that both have one description. */
import { z } from 'zod'

type Stored<S extends z.core.$ZodType> = Exclude<z.output<S>, undefined>
type AnswerShape<S extends z.core.$ZodShape> = { [K in keyof S]: z.ZodType<Stored<S[K]>, Stored<S[K]>> }

/**
 * Returns the response schemas of the fields of an input, with the same descriptions. They have no limits: a value that
 * was stored before a limit was added must still be returned. A default is dropped, and an optional field is required.
 */
export function answerShape<S extends z.core.$ZodShape>(input: S): AnswerShape<S> {
  const schemas = Object.entries(input).map(([name, schema]) => [name, described(withoutLimits(schema), schema)])
  return Object.fromEntries(schemas) as AnswerShape<S>
}

function withoutLimits(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return withoutLimits(schema.unwrap())
  if (schema instanceof z.ZodNullable) return withoutLimits(schema.unwrap()).nullable()
  if (schema instanceof z.ZodString) return z.string()
  if (schema instanceof z.ZodNumber) return z.number()
  if (schema instanceof z.ZodBoolean) return z.boolean()
  if (schema instanceof z.ZodEnum) return z.enum(schema.enum)
  if (schema instanceof z.ZodArray) return z.array(withoutLimits(schema.element))
  throw new Error('A field of an answer is a text, a number, a boolean, an enumeration or a list of these')
}

function described(schema: z.ZodType, like: z.core.$ZodType): z.ZodType {
  const description = descriptionOf(like)
  return description === undefined ? schema : schema.describe(description)
}

/** The description of the schema, or of the schema that it wraps. */
function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const isWrapper = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable
  return z.globalRegistry.get(schema)?.description ?? (isWrapper ? descriptionOf(schema.unwrap()) : undefined)
}

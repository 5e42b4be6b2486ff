/** JSON Schemas for the inputs and answers of operations. A record that several operations answer is a named schema. */
import { z } from 'zod'
import type { Operation } from '../api/contract.ts'

export type Schema = z.core.JSONSchema.BaseSchema

type Names = ReadonlyMap<z.core.$ZodType, string>

export interface Schemas {
  /** The input of an operation, without references. */
  inputOf(operation: Operation): Schema
  /** The answer of an operation; a named record is a reference. */
  outputOf(operation: Operation): Schema
  /** The named records. */
  components: Record<string, Schema>
}

export function schemasOf(operations: readonly Operation[]): Schemas {
  const names = nameShared(operations)
  const refer = (schema: z.core.$ZodType, own: z.core.$ZodType | null, io: 'input' | 'output') =>
    toSchema(schema, own, io, names)
  return {
    inputOf: ({ input }) => refer(input, null, 'input'),
    outputOf: ({ output }) => refer(output, null, 'output'),
    components: Object.fromEntries([...names].map(([schema, name]) => [name, refer(schema, schema, 'output')])),
  }
}

/** @param own a named schema that is written out instead of referenced; null: none */
function toSchema(schema: z.core.$ZodType, own: z.core.$ZodType | null, io: 'input' | 'output', names: Names): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Later versions may add fields to answers: clients must accept unknown fields.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const name = zodSchema === own ? undefined : names.get(zodSchema)
      if (name === undefined) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      jsonSchema.$ref = `#/components/schemas/${name}`
    },
  })
  return rest
}

/** Names the records that at least two operations answer, directly or as list elements. */
function nameShared(operations: readonly Operation[]): Map<z.core.$ZodType, string> {
  const uses = new Map<z.core.$ZodType, Operation[]>()
  for (const operation of operations) {
    const record = operation.output instanceof z.ZodArray ? operation.output.element : operation.output
    if (record instanceof z.ZodObject) uses.set(record, [...(uses.get(record) ?? []), operation])
  }
  const shared = [...uses].filter(([, users]) => users.length > 1)
  return new Map(shared.map(([schema, users]) => [schema, nameOf(users)]))
}

/** The record of a group's `one` or `all` is named after the group, another record after its first operation. */
function nameOf(users: Operation[]): string {
  const read = users.find(({ name }) => /\.(one|all)$/.test(name))
  const parts = read === undefined ? users[0]!.name.split('.') : [groupOf(read)]
  return parts.map(capitalize).join('')
}

export const groupOf = ({ name }: Operation) => name.split('.', 1)[0]!

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

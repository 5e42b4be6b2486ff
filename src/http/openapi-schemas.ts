/** JSON Schemas of what operations take and give, from their declarations; a record that several give is named once. */
import { z } from 'zod'
import type { Operation } from '../api/contract.ts'

export type Schema = z.core.JSONSchema.BaseSchema

type Names = ReadonlyMap<z.core.$ZodType, string>

export interface Schemas {
  /** Input of an operation, whole. */
  inputOf(operation: Operation): Schema
  /** Output of an operation, by reference where it has a name. */
  outputOf(operation: Operation): Schema
  /** The named ones. */
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

/** `own` is the one that is spelled out although it has a name. */
function toSchema(schema: z.core.$ZodType, own: z.core.$ZodType | null, io: 'input' | 'output', names: Names): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // An answer may gain fields: a client must not refuse those that it does not know.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const name = zodSchema === own ? undefined : names.get(zodSchema)
      if (name === undefined) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      jsonSchema.$ref = `#/components/schemas/${name}`
    },
  })
  void $schema
  return rest
}

/** Objects that at least two operations answer, each or as elements of a list. */
function nameShared(operations: readonly Operation[]): Map<z.core.$ZodType, string> {
  const uses = new Map<z.core.$ZodType, Operation[]>()
  for (const operation of operations) {
    const record = operation.output instanceof z.ZodArray ? operation.output.element : operation.output
    if (record instanceof z.ZodObject) uses.set(record, [...(uses.get(record) ?? []), operation])
  }
  const shared = [...uses].filter(([, users]) => users.length > 1)
  return new Map(shared.map(([schema, users]) => [schema, nameOf(users)]))
}

/** What a group's `one` or `all` gives is called as the group; other records as the first operation that gives them. */
function nameOf(users: Operation[]): string {
  const reads = users.find(({ name }) => /\.(one|all)$/.test(name))
  const words = reads === undefined ? users[0]!.name.split('.') : [groupOf(reads)]
  return words.map(capitalize).join('')
}

export const groupOf = ({ name }: Operation) => name.split('.', 1)[0]!

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

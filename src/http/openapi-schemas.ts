/**
 * JSON Schemas for the inputs and answers of operations. Two sorts of schemas are components: a record that several
 * operations answer, and a schema whose metadata has a title, such as a union of reason codes.
 */
import { z } from 'zod'
import type { Operation } from '../api/contract.ts'

export type Schema = z.core.JSONSchema.BaseSchema

/** The names of the components by their schemas. */
type Names = Map<z.core.$ZodType, string>

export interface Schemas {
  /** The input of an operation. */
  inputOf(operation: Operation): Schema
  /** The answer of an operation. A component is a reference. */
  outputOf(operation: Operation): Schema
  components: Record<string, Schema>
}

/** @param others further schemas that become components, with their names */
export function schemasOf(operations: readonly Operation[], others: Record<string, z.ZodType> = {}): Schemas {
  const names: Names = new Map([
    ...Object.entries(others).map(([name, schema]) => [schema, name] as const),
    ...nameShared(operations),
  ])
  const inputs = new Map(operations.map(({ name, input }) => [name, toSchema(input, null, 'input', names)]))
  const outputs = new Map(operations.map(({ name, output }) => [name, toSchema(output, null, 'output', names)]))
  const components: Record<string, Schema> = {}
  // A component may contain further components. They are added to the map during this loop.
  for (const [schema, name] of names) components[name] = toSchema(schema, schema, 'output', names)
  return { inputOf: ({ name }) => inputs.get(name)!, outputOf: ({ name }) => outputs.get(name)!, components }
}

/**
 * @param own the component that is written out instead of referenced; null: none
 * @param names schemas with a title are added
 */
function toSchema(schema: z.core.$ZodType, own: z.core.$ZodType | null, io: 'input' | 'output', names: Names): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      // Later versions may add fields to answers: clients must accept unknown fields.
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      const name = names.get(zodSchema) ?? titleOf(zodSchema)
      delete jsonSchema.title
      if (zodSchema === own || name === undefined) return
      if (![...names.values()].includes(name)) names.set(zodSchema, name)
      const { description } = jsonSchema
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      // The description is about the place where the component is used.
      Object.assign(jsonSchema, { $ref: `#/components/schemas/${name}`, ...(description && { description }) })
    },
  })
  return rest
}

/** The title of a schema as the name of its component. */
function titleOf(schema: z.core.$ZodType): string | undefined {
  const title = z.globalRegistry.get(schema)?.title
  return title === undefined ? undefined : capitalize(title)
}

/** Names the records that at least two operations answer, directly or as list elements. */
function nameShared(operations: readonly Operation[]): Names {
  const uses = new Map<z.core.$ZodType, Operation[]>()
  for (const operation of operations) {
    const record = operation.output instanceof z.ZodArray ? operation.output.element : operation.output
    if (record instanceof z.ZodObject) uses.set(record, [...(uses.get(record) ?? []), operation])
  }
  const shared = [...uses].filter(([, users]) => users.length > 1)
  return new Map(shared.map(([schema, users]) => [schema, titleOf(schema) ?? nameOf(users)]))
}

/** The record of a group's `one` or `all` is named after the group, another record after its first operation. */
function nameOf(users: Operation[]): string {
  const read = users.find(({ name }) => /\.(one|all)$/.test(name))
  const parts = read === undefined ? users[0]!.name.split('.') : [groupOf(read)]
  return parts.map(capitalize).join('')
}

export const groupOf = ({ name }: Operation) => name.split('.', 1)[0]!

export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The properties of an input as the parameters of a query. */
export function queryParameters({ properties = {}, required = [] }: Schema): Record<string, unknown>[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Record<string, unknown>
    const about = description === undefined ? {} : { description }
    return { name, in: 'query', ...about, required: required.includes(name), schema }
  })
}

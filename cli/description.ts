/** Reads operations and their fields from the description of the API (openapi.json) that the server publishes. */

/** A schema of JSON Schema, as far as the command line needs it. */
interface Schema {
  type?: string | string[]
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  default?: unknown
  description?: string
  properties?: Record<string, Schema>
  required?: string[]
}

interface Method {
  operationId?: string
  summary?: string
  description?: string
  parameters?: { name?: string; in?: string; required?: boolean; description?: string; schema?: Schema }[]
  responses?: Record<string, { content?: Record<string, unknown> }>
  requestBody?: { content?: { 'application/json'?: { schema?: Schema } } }
}

export interface Description {
  paths: Record<string, Record<string, Method>>
}

export interface Operation {
  /** `group.verb` */
  name: string
  summary: string
  description: string
  fields: Field[]
  /** Whether the answer is a file. */
  isFile: boolean
}

export interface Field {
  name: string
  isRequired: boolean
  description: string
  /** For people, such as `number or null`. */
  type: string
  /** The JSON types that the field takes, such as `string` and `null`. */
  types: string[]
}

const pathStart = '/api/'

export const operationsIn = ({ paths }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ operationId }) => `${pathStart}${operationId}` === path)
      .map((method) => ({
        name: method.operationId!,
        summary: method.summary ?? '',
        description: method.description ?? '',
        fields: fieldsOf(method),
        isFile: method.responses?.['200']?.content?.['application/octet-stream'] !== undefined,
      })),
  )

function fieldsOf({ parameters = [], requestBody }: Method): Field[] {
  const inQuery = parameters.filter((each) => each.in === 'query' && each.name !== undefined)
  const query = inQuery.map((each) => fieldOf(each.name!, each.schema ?? {}, each.required === true, each.description))
  const { properties = {}, required = [] } = requestBody?.content?.['application/json']?.schema ?? {}
  const body = Object.entries(properties).map(([name, schema]) => fieldOf(name, schema, required.includes(name)))
  return [...query, ...body]
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, about = schema.description ?? ''): Field {
  return { name, isRequired, description: about, type: typeText(schema), types: typesOf(schema) }
}

function typesOf({ type = [], anyOf = [], enum: values, const: value }: Schema): string[] {
  const own = [type].flat()
  if (own.length > 0) return own
  if (anyOf.length > 0) return anyOf.flatMap(typesOf)
  return (values ?? [value]).map((each) => (each === null ? 'null' : typeof each))
}

function typeText(schema: Schema): string {
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeText).join(' or ')
  if (schema.enum !== undefined) return schema.enum.join(', ')
  if (schema.const !== undefined) return String(schema.const)
  return typesOf(schema).join(' or ')
}

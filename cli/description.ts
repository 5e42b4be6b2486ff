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
  /** `#/components/schemas/NAME`. */
  $ref?: string
  required?: string[]
}

interface Method {
  operationId?: string
  summary?: string
  description?: string
  parameters?: { name?: string; in?: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content?: { 'application/json'?: { schema?: Schema } } }
  responses?: Record<string, unknown>
}

export interface Description {
  paths: Record<string, Record<string, Method>>
  components?: { schemas?: Record<string, Schema> }
}

export interface Operation {
  /** `group.verb` */
  name: string
  summary: string
  description: string
  fields: Field[]
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

/** The operations that answer a call. A session is a WebSocket, for which there are commands such as psql. */
export const operationsIn = ({ paths, components }: Description): Operation[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods)
      .filter(({ operationId, responses = {} }) => `${pathStart}${operationId}` === path && !('101' in responses))
      .map((method) => ({
        name: method.operationId!,
        summary: method.summary ?? '',
        description: method.description ?? '',
        fields: fieldsOf(method, components?.schemas ?? {}),
      })),
  )

type Schemas = Record<string, Schema>

/** Replaces a reference by the schema that it names, also among alternatives. */
function resolved(schema: Schema, schemas: Schemas): Schema {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return { ...schemas[$ref.split('/').at(-1)!], ...schema }
  return anyOf === undefined ? schema : { ...schema, anyOf: anyOf.map((each) => resolved(each, schemas)) }
}

function fieldsOf({ parameters = [], requestBody }: Method, schemas: Schemas): Field[] {
  const inQuery = parameters.filter((each) => each.in === 'query' && each.name !== undefined)
  const query = inQuery.map((each) =>
    fieldOf(each.name!, resolved(each.schema ?? {}, schemas), each.required === true, each.description),
  )
  const { properties = {}, required = [] } = requestBody?.content?.['application/json']?.schema ?? {}
  const body = Object.entries(properties).map(([name, schema]) =>
    fieldOf(name, resolved(schema, schemas), required.includes(name)),
  )
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

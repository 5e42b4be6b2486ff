// generate.js: prints operations.ts, the TypeScript declarations of all operations, from openapi.json.
//
//   node client/generate.js > client/operations.ts
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'openapi.json'), 'utf8'))
const isName = /^[A-Za-z_$][\w$]*$/

/** A JSON Schema as a TypeScript type. Throws for a keyword that this script does not know. */
function typeOf(schema, indent = '') {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((each) => typeOf(each, indent)))
  if (schema.allOf !== undefined) return schema.allOf.map((each) => typeOf(each, indent)).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type }, indent)))
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'number':
    case 'integer':
      return 'number'
    case 'array':
      return `${parenthesized(typeOf(schema.items, indent))}[]`
    case 'object':
      return objectType(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`unknown type ${schema.type}`)
  }
}

const union = (types) => [...new Set(types)].join(' | ')
const parenthesized = (type) => (/ [|&] /.test(type) && !type.startsWith('{') ? `(${type})` : type)

function objectType({ properties, required = [], additionalProperties }, indent) {
  if (properties === undefined) {
    return additionalProperties === undefined
      ? 'Record<string, never>'
      : `Record<string, ${typeOf(additionalProperties, indent)}>`
  }
  const inner = `${indent}  `
  const fields = Object.entries(properties).map(([name, schema]) => {
    const key = isName.test(name) ? name : JSON.stringify(name)
    const mark = required.includes(name) ? '' : '?'
    return `${comment(schema.description, inner)}${inner}${key}${mark}: ${typeOf(schema, inner)}\n`
  })
  return fields.length === 0 ? 'Record<string, never>' : `{\n${fields.join('')}${indent}}`
}

function comment(text, indent) {
  if (text === undefined) return ''
  const lines = text.replaceAll('*/', '*\\/').split('\n')
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} *${line && ` ${line}`}\n`).join('')}${indent} */\n`
}

/** What the client needs to know of an operation. */
function operationsOf() {
  return Object.entries(document.paths)
    .filter(([path]) => /^\/api\/\w+\.\w+$/.test(path))
    .map(([path, methods]) => {
      const [group, verb] = path.slice('/api/'.length).split('.')
      const isRead = methods.get !== undefined
      const operation = methods.get ?? methods.post
      const { content = {}, headers = {} } = operation.responses[200]
      return {
        group,
        verb,
        isRead,
        isSignIn: !operation.parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')),
        input: isRead ? queryOf(operation) : (operation.requestBody?.content['application/json'].schema ?? null),
        isInputRequired: isRead ? queryOf(operation)?.required.length > 0 : operation.requestBody?.required === true,
        output: content['application/json']?.schema ?? {},
        streamed: content['application/x-ndjson']?.schema ?? null,
        isFile: 'application/octet-stream' in content,
        isPaged: 'Berth-Next-Cursor' in headers,
        about: [operation.summary, operation.description].filter(Boolean).join('\n\n'),
      }
    })
}

function queryOf({ parameters = [] }) {
  const query = parameters.filter((each) => each.in === 'query')
  if (query.length === 0) return null
  const properties = query.map(({ name, schema, description }) => [name, { ...parameterSchema(schema), description }])
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: query.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** A query parameter with the values `true` and `false` is a boolean for the caller. */
const parameterSchema = (schema) => (schema.enum?.join() === 'true,false' ? { type: 'boolean' } : schema)

function methodType({ input, isInputRequired, output, streamed, isFile, isPaged }) {
  const inputType = input === null ? 'Record<string, never>' : typeOf(input, '    ')
  if (isFile) return `FileMethod<${inputType}>`
  const outputType = typeOf(output, '    ')
  if (isPaged) return `PagedMethod<${inputType}, ${outputType}>`
  if (streamed !== null) return `StreamMethod<${inputType}, ${outputType}>`
  return `${isInputRequired ? 'Method' : 'OptionalMethod'}<${inputType}, ${outputType}>`
}

const operations = operationsOf()
const groups = Map.groupBy(operations, ({ group }) => group)

const schemas = Object.entries(document.components.schemas)
  .filter(([name]) => name !== 'Error')
  .map(([name, schema]) => `${comment(schema.description, '')}export type ${name} = ${typeOf(schema)}\n`)

const interfaces = [...groups].map(([group, members]) => {
  const methods = members.map((each) => `${comment(each.about, '    ')}    ${each.verb}: ${methodType(each)}\n`)
  return `  ${group}: {\n${methods.join('')}  }\n`
})

const names = [...groups].map(([group, members]) =>
  [
    group,
    ...members.map(({ verb, isFile, isRead, isSignIn }) => verb + (isFile ? '>' : isRead ? '?' : isSignIn ? '!' : '')),
  ].join(' '),
)

process.stdout.write(`/** The operations of Berth's API. Made from openapi.json by generate.js: do not edit. */
import type { FileMethod, Method, OptionalMethod, PagedMethod, StreamMethod } from './method.ts'

export type ErrorCode =
${document.components.schemas.Error.properties.code.enum.map((code) => `  | '${code}'`).join('\n')}

${schemas.join('\n')}
/** All operations, by group and name. */
export interface Operations {
${interfaces.join('')}}

/**
 * An entry for each group: its name and its operations. A question mark follows an operation that is called with GET,
 * \`>\` one that also answers a file, an exclamation mark one that ignores idempotency keys.
 */
export const names = [
${names.map((each) => `  '${each}',\n`).join('')}]
`)

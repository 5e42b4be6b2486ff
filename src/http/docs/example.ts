/** Example curl commands for operations, with their required fields and placeholder values. */
import { methodOf, type Operation } from '../../api/contract.ts'
import type { Schema } from '../openapi-schemas.ts'
import { pathOf } from '../routes.ts'

/** The command expects the shell variables BERTH (base URL) and TOKEN (bearer token). */
export function curlOf(operation: Operation, input: Schema): string {
  const url = `"$BERTH${pathOf(operation)}"`
  const authorization = '  -H "Authorization: Bearer $TOKEN"'
  const fields = exampleOf(input)
  if (methodOf(operation) === 'GET') {
    const parameters = Object.entries(fields).map(
      ([name, value]) => `  --data-urlencode ${quoted(`${name}=${String(value)}`)}`,
    )
    const streams = operation.stream === undefined ? '' : '-N '
    const flags = `${streams}${parameters.length === 0 ? '' : '-G '}`
    return [`curl -sS ${flags}${url}`, authorization, ...parameters].join(' \\\n')
  }
  if (Object.keys(fields).length === 0) return [`curl -sS -X POST ${url}`, authorization].join(' \\\n')
  const waits = operation.finalAnswer === undefined ? [] : ["  -H 'Prefer: wait=60'"]
  const body = JSON.stringify(fields, null, 2).replaceAll('\n', '\n  ')
  const type = "  -H 'Content-Type: application/json'"
  return [`curl -sS ${url}`, authorization, ...waits, type, `  -d ${quoted(body)}`].join(' \\\n')
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

function exampleOf({ properties = {}, required = [] }: Schema): Record<string, unknown> {
  return Object.fromEntries(required.map((name) => [name, sampleValue(name, properties[name] as Schema)]))
}

function sampleValue(name: string, field: Schema): unknown {
  if (field.default !== undefined) return field.default
  if (field.enum !== undefined) return field.enum[0]
  const option = field.anyOf?.find((it) => (it as Schema).type !== 'null')
  if (option !== undefined) return sampleValue(name, option as Schema)
  if (field.format === 'email') return 'ada@example.org'
  const type = Array.isArray(field.type) ? field.type[0] : field.type
  if (type === 'integer' || type === 'number') return Math.min(15432, field.maximum ?? 15432)
  if (type === 'boolean') return true
  if (type === 'array') return []
  return `<${name}>`
}

/** Field tables of the reference page, generated from JSON Schemas. */
import type { Schema } from '../openapi-schemas.ts'
import { type Html, html, prose } from './html.ts'

/** @param isAnswer whether these are fields of an answer, which are not marked as required or optional */
export function fieldTable({ properties = {}, required = [] }: Schema, isAnswer: boolean): Html {
  const rows = Object.entries(properties).map(([name, field]) =>
    row(name, field as Schema, required.includes(name), isAnswer),
  )
  return html`<dl class="fields">${rows}</dl>`
}

function row(name: string, field: Schema, isRequired: boolean, isAnswer: boolean): Html {
  const need = isRequired ? 'required' : 'optional'
  const mark = isAnswer ? null : html`<span class="${need}">${need}</span>`
  return html`<div>
    <dt><code>${name}</code> ${mark}</dt>
    <dd><span class="type">${typeOf(field)}</span>${limits(field)}
      ${field.description === undefined ? null : html`<p>${prose(sentence(field.description))}</p>`}
      ${nested(field, isAnswer)}</dd>
  </div>`
}

function limits(field: Schema): Html[] {
  const byDefault = field.default === undefined ? '' : `default ${shown(field.default)}`
  return [...limitsOf(field), byDefault].filter(Boolean).map((limit) => html`<span class="note">${limit}</span>`)
}

/** The fields of a nested object, collapsed. */
function nested(field: Schema, isAnswer: boolean): Html | null {
  const inner = withoutNull(field)
  const object = (inner.type === 'array' ? inner.items : inner) as Schema | undefined
  const count = Object.keys(object?.properties ?? {}).length
  if (object === undefined || count === 0) return null
  return html`<details><summary>${count} fields</summary>${fieldTable(object, isAnswer)}</details>`
}

/** The type of a field; a named record is a link. */
export function typeOf(field: Schema): Html {
  if (field.$ref !== undefined) {
    const name = nameOf(field.$ref)
    return html`<a href="#record-${name}">${name}</a>`
  }
  if (field.anyOf !== undefined) {
    return html`${field.anyOf.map((option, i) => html`${i === 0 ? '' : ' or '}${typeOf(option as Schema)}`)}`
  }
  if (field.const !== undefined) return html`<code>${shown(field.const)}</code>`
  if (field.enum !== undefined) {
    return html`${field.enum.map((value, i) => html`${i === 0 ? '' : ' · '}<code>${shown(value)}</code>`)}`
  }
  if (field.type === 'array') return listOf(field.items as Schema | undefined)
  const types: string[] = Array.isArray(field.type) ? field.type : [field.type ?? 'anything']
  return html`${types.join(' or ')}`
}

function listOf(items: Schema | undefined): Html {
  if (items === undefined || items.not !== undefined) return html`empty list`
  return html`list of ${typeOf(items)}`
}

const nameOf = (reference: string) => reference.split('/').at(-1)!

const shown = (value: unknown) => (value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value))

const sentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)

function withoutNull(field: Schema): Schema {
  const options = field.anyOf?.filter((option) => (option as Schema).type !== 'null') ?? []
  return options.length === 1 ? (options[0] as Schema) : field
}

/** The limits of a value in addition to its type. */
function limitsOf(field: Schema): string[] {
  const { minLength, maxLength, minimum, maximum, format, pattern } = withoutNull(field)
  return [
    format === 'email' ? 'email address' : (format ?? ''),
    range(minLength === 0 ? undefined : minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    format !== undefined || pattern === undefined ? '' : patternText(pattern),
  ]
}

const patternText = (pattern: string) =>
  pattern.startsWith('^[^\\u0000') ? 'no control characters' : `like ${pattern}`

function range(min: number | undefined, max: number | undefined, unit: string): string {
  const [from, to] = [min, max].map((bound) => bound?.toLocaleString('en'))
  if (from === undefined) return to === undefined ? '' : `up to ${to}${unit}`
  if (to !== undefined) return `${from} to ${to}${unit}`
  return unit !== '' && min === 1 ? 'not empty' : `at least ${from}${unit}`
}

/** Turns words of a command line into the fields of an operation. Pure. */
import type { Field, Operation } from './description.ts'
import { CommandError } from './exit.ts'
import { suggestion } from './nearest.ts'

/**
 * The fields in `--name value`, `--name=value` and `--name`, which stands for true. The description of the operation
 * decides whether a value is a text, a number or JSON.
 * @throws CommandError if the operation has no such field, or if the value is none for the field
 */
export function fieldsIn(words: readonly string[], operation: Operation): Record<string, unknown> {
  const texts = new Map<string, string[]>()
  for (let i = 0; i < words.length; i++) {
    const [, name, inline] = /^--([A-Za-z]\w*)(?:=([\s\S]*))?$/.exec(words[i]!) ?? []
    if (name === undefined) throw new CommandError('usage', `'${words[i]}' is no field. Write --field value`)
    const next = words[i + 1]
    const hasValue = inline === undefined && next !== undefined && !next.startsWith('--')
    if (hasValue) i++
    texts.set(name, [...(texts.get(name) ?? []), inline ?? (hasValue ? next : 'true')])
  }
  return Object.fromEntries([...texts].map(([name, values]) => [name, fieldValue(fieldNamed(operation, name), values)]))
}

/** @throws CommandError if the operation has no field of this name */
export function fieldNamed({ name: operation, fields }: Operation, name: string): Field {
  const field = fields.find((each) => each.name === name)
  if (field !== undefined) return field
  const names = fields.map((each) => each.name)
  const known = names.length === 0 ? 'It has no fields' : `Its fields: ${names.join(', ')}`
  throw new CommandError('usage', `${operation} has no field '${name}'. ${suggestion(name, names) || known}`)
}

/** A field that is repeated is a list. */
function fieldValue(field: Field, texts: string[]): unknown {
  if (texts.length > 1 && field.types.includes('array')) return texts.map((text) => itemOf(text))
  if (texts.length > 1) throw new CommandError('usage', `--${field.name} takes one value, and has ${texts.length}`)
  const text = texts[0]!
  const { types } = field
  if (types.includes('null') && text === 'null') return null
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true'
  if (types.includes('number') || types.includes('integer')) {
    if (text.trim() !== '' && Number.isFinite(Number(text))) return Number(text)
  }
  if (types.includes('string')) return text
  if (types.includes('array') && !text.startsWith('[')) return [itemOf(text)]
  return parsed(field, text)
}

function itemOf(text: string): unknown {
  return /^[[{]/.test(text) ? JSON.parse(text) : text
}

function parsed({ name, type }: Field, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new CommandError('usage', `--${name} must be ${type}${/object|array/.test(type) ? ' in JSON' : ''}`)
  }
}

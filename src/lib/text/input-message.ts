/** Messages about wrong input for rules whose schema has no message of its own. */
import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/** What a value must be, by the name of the type in Zod. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'must be a text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  null: 'must be null',
}

/**
 * Returns the message for an issue of Zod, to be read after the name of the field.
 * Undefined: Zod's own message is used.
 */
export function inputMessage(issue: Issue): string | undefined {
  if (issue.input === undefined && issue.code !== 'custom') return 'is required'
  switch (issue.code) {
    case 'invalid_type':
      return typeNames[issue.expected]
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`
    case 'too_small':
      return limitText(issue.origin, 'at least', Number(issue.minimum))
    case 'too_big':
      return limitText(issue.origin, 'at most', Number(issue.maximum))
    default:
      return undefined
  }
}

const countedNames: Readonly<Record<string, string>> = { string: 'character', array: 'element' }

function limitText(origin: string, limit: string, value: number): string {
  const counted = countedNames[origin]
  return counted === undefined
    ? `must be ${limit} ${value}`
    : `must have ${limit} ${value} ${counted}${value === 1 ? '' : 's'}`
}

/** Finds records by the names that people use. */
import type { Client } from '../client/client.ts'
import { CommandError } from './exit.ts'
import { suggestion } from './nearest.ts'

/** A message lists at most so many names. */
const maxNames = 10

/**
 * Finds a record by one of its names, or by the beginning of one.
 * @param kind the kind of the record, for messages
 * @param namesOf the names of a record; the first one is shown
 * @throws CommandError if there is none or if there are several; the message suggests near names
 */
export function findNamed<T>(kind: string, name: string, records: readonly T[], namesOf: (record: T) => string[]): T {
  const exact = records.filter((each) => namesOf(each).includes(name))
  const matching = exact.length > 0 ? exact : records.filter((each) => namesOf(each).some((it) => it.startsWith(name)))
  if (matching.length === 1) return matching[0]!
  const list = (many: readonly T[]) => listOf(many.map((each) => namesOf(each)[0]!))
  if (matching.length > 1) {
    const identified = matching.map((each) => [...new Set(namesOf(each))].join(' = '))
    throw new CommandError('usage', `'${name}' can be one of several: ${listOf(identified)}`)
  }
  const known = records.length === 0 ? 'There is none yet' : `There are: ${list(records)}`
  const hint = suggestion(name, [...new Set(records.map((each) => namesOf(each)[0]!))]) || known
  throw new CommandError('notFound', `There is no ${kind} '${name}'. ${hint}`)
}

const listOf = (names: string[]) =>
  names.length <= maxNames
    ? names.join(', ')
    : `${names.slice(0, maxNames).join(', ')} and ${names.length - maxNames} more`

/** The default appName of a database. Host names are lower case and have at most 63 characters. The server checks the result. */
export const appNameOf = (project: string, name: string) =>
  `${project}-${name}`
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 63)

/** @throws CommandError if there is no such project */
export const findProject = async (client: Client, name: string) =>
  findNamed('project', name, await client.project.all(), (each) => [each.name, each.projectId])

/** @throws CommandError if there is no such node */
export const findNode = async (client: Client, name: string) =>
  findNamed('node', name, await client.cluster.getNodes(), (each) => [each.hostname, each.id])

/** @throws CommandError if there is no such destination */
export const findDestination = async (client: Client, name: string) =>
  findNamed('destination', name, await client.destination.all(), (each) => [each.name, each.destinationId])

/** @throws CommandError if there is no such registry */
export const findRegistry = async (client: Client, name: string) =>
  findNamed('registry', name, await client.registry.all(), (each) => [each.registryName, each.host, each.registryId])

/** The field in an object if it has a value, for inputs of operations. */
export const given = <K extends string, T>(name: K, value: T | undefined): { [P in K]?: T } =>
  value === undefined ? {} : ({ [name]: value } as { [P in K]: T })

/** @throws CommandError if the text is no number */
export function numberOf(option: string, text: string): number {
  const number = Number(text)
  if (text.trim() === '' || Number.isNaN(number))
    throw new CommandError('usage', `${option} must be a number, and not '${text}'`)
  return number
}

/** Like numberOf; undefined for an option that is not given. */
export const optionalNumber = (option: string, text: string | undefined) =>
  text === undefined ? undefined : numberOf(option, text)

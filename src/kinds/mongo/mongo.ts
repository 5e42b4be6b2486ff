/**
 * MongoDB: what it takes, how its image is set up, and how one tells that it answers. Its programs, which log in and
 * change credentials, are in programs.ts.
 */
import { z } from 'zod'
import { textFile } from '../../lib/text-file.ts'
import { isSameVersion } from '../../lib/text/version.ts'
import { healthCheck } from '../health.ts'
import { type Address, kind, type Launch } from '../kind.ts'
import { printable } from '../printable.ts'
import { authorityOf, encoded } from '../url.ts'
import { mongoBackup } from './backup.ts'
import { ready, rotate } from './programs.ts'

/** Ends of lines in the sources of old shells; the official image's set-up writes both texts into one. */
const noLineEnd = /^[^\u2028\u2029]*$/

/**
 * What the set-up of images before 6 loses: their shell takes such a text for the end of the line it stands in, and
 * goes on without having made the user.
 */
const loses = /^"|\\"/

const writable = (text: z.ZodString) =>
  printable(text.max(255, 'must have at most 255 characters'))
    .regex(noLineEnd, 'must not contain control characters: remove them')
    .refine((it) => !loses.test(it), 'must not begin with " or contain \\", which older images get wrong: leave it out')

/** 255 characters stay below the 1024 bytes that servers before 4.2 have for the key of an index. */
const DatabaseUser = writable(z.string().min(1, 'must not be empty'))

/**
 * Characters that SASLprep leaves as they are, in blocks that Unicode 3.2, which it knows, has in full: servers and
 * drivers refuse, drop or replace others, each in its own way. Right-to-left letters have rules of their own there, and
 * are left out. Source: RFC 4013; mongodb/specifications, auth.md, SCRAM-SHA-256.
 */
const prepared = new RegExp(
  `^[${[
    ' -~',
    '\\u00a1-\\u00ac\\u00ae-\\u0220',
    '\\u0391-\\u03a1\\u03a3-\\u03ce',
    '\\u0400-\\u0486',
    '\\u1e00-\\u1e9b',
    '\\u1ea0-\\u1ef9',
    '\\u2010-\\u2027',
    '\\u20a0-\\u20b1',
    '\\u2190-\\u23ce',
    '\\u2500-\\u2613',
    '\\u2619-\\u267d',
    '\\u3001-\\u302f',
    '\\u3041-\\u3096',
    '\\u30a1-\\u30fe',
    '\\u4e00-\\u9fa5',
    '\\uac00-\\ud7a3',
  ].join('')}]*$`,
)

const DatabasePassword = writable(z.string()).refine(
  (it) => prepared.test(it) && it === it.normalize('NFKC'),
  'must hold only characters that SASLprep keeps as they are (no emoji, no right-to-left letters, no special spaces ' +
    'or ligatures): choose another',
)

const settings = z.object({ databaseUser: DatabaseUser, databasePassword: DatabasePassword })
type Settings = z.output<typeof settings>

const port = 27_017
const dataPath = '/data/db'

/** The series: 8.0 of 8.0.4-noble, 8 where the tag says no more. Files of one are not opened by each other. */
function versionOf(tag: string | null): string | null {
  return /^\d{1,2}(?:\.\d{1,2})?(?!\d)/.exec(tag ?? '')?.[0] ?? null
}

const url = ({ databaseUser, databasePassword }: Settings, address: Address) =>
  `mongodb://${encoded(databaseUser)}:${encoded(databasePassword)}@${authorityOf(address)}/?authSource=admin`

/**
 * What has to be so, said again where the command is the server's own: authentication is on, the data lies in the
 * volume, the port is the known one. A command that says otherwise names an option twice, which the server refuses.
 */
function launch(_: Settings, words: string[], memoryLimitMiB: number | null): Launch {
  const [first = 'mongod'] = words
  if (!first.startsWith('-') && first !== 'mongod') return { args: words, files: [] }
  const given = (name: string, value: string) =>
    words.includes(`${name}=${value}`) || words.some((word, index) => word === name && words[index + 1] === value)
  const needed = [
    ['--dbpath', dataPath],
    ['--port', String(port)],
  ].filter(([name, value]) => !given(name!, value!))
  const auth = words.includes('--auth') ? [] : ['--auth']
  return { args: [...words, ...auth, ...needed.flat(), ...cacheSize(words, memoryLimitMiB)], files: [] }
}

/**
 * Half of what is left beyond 1 GiB, as the server would choose for a machine of that size; not every version sees the
 * container's limit. Source: mongodb.com/docs/manual/reference/configuration-options, cacheSizeGB.
 */
function cacheSize(words: string[], memoryLimitMiB: number | null): string[] {
  const chosen = /^(?:--wiredTigerCacheSize|--storageEngine|--config|-f)/
  if (memoryLimitMiB === null || words.some((it) => chosen.test(it))) return []
  return ['--wiredTigerCacheSizeGB', Math.max(0.25, (memoryLimitMiB / 1024 - 1) / 2).toFixed(2)]
}

export const mongo = kind({
  name: 'mongo',
  label: 'MongoDB',
  idField: 'mongoId',
  defaultImage: 'mongo:15',
  port,
  mayNameItself: false,
  settings,
  secrets: ['databasePassword'],
  reserved: {
    MONGO_INITDB_ROOT_USERNAME: 'use databaseUser',
    MONGO_INITDB_ROOT_USERNAME_FILE: 'use databaseUser',
    MONGO_INITDB_ROOT_PASSWORD: 'use databasePassword',
    MONGO_INITDB_ROOT_PASSWORD_FILE: 'use databasePassword',
  },
  versionOf,
  imageVersion: {
    variables: ['MONGO_VERSION', 'MONGO_MAJOR'],
    argv: ['mongod', '--version'],
    printed: /db version v(\S+)/,
  },
  /** Not the next one either: it would open them, but stay compatible with the version before until told otherwise. */
  opens: isSameVersion,
  dataPath: () => dataPath,
  env: (it) => ({ MONGO_INITDB_ROOT_USERNAME: it.databaseUser, MONGO_INITDB_ROOT_PASSWORD: it.databasePassword }),
  launch,
  url,
  health: healthCheck(textFile('kinds/mongo/programs/answers.sh')),
  ready,
  rotate,
  backup: mongoBackup,
  manualBackup: 'manualBackupMongo',
})

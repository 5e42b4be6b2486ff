/** Rules for the backups of all kinds (database products), and the comparison of archive contents. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ArchiveContents, differences, type Program } from './backup.ts'
import { kinds } from './index.ts'

const target = { host: 'db', port: 1, database: 'shop' }
const odd = { host: 'fd00::1', port: 2, database: ' -x"\'`$\\😀=' }
const settings = (suffix: string) => ({
  databaseName: `n${suffix}`,
  databaseUser: `u${suffix}`,
  databasePassword: `secret${suffix}`,
  databaseRootPassword: `secret-root${suffix}`,
})
const login = (suffix: string) => ({
  settings: settings(suffix),
  own: { user: `berth_${suffix}`, password: `secret-own${suffix}` },
})

test('every kind has a backup', () => {
  assert.ok(kinds.every(({ backup, manualBackup }) => backup !== undefined && manualBackup !== undefined))
})

test("puts no caller's text into argv, and puts secrets only into files that only root can read", () => {
  for (const { backup } of kinds) {
    if (backup === undefined) continue
    const programs = (suffix: string, database: typeof target): Program[] => [
      backup.dump(login(suffix), database, '8'),
      backup.restore(login(suffix), { ...database, roles: ['a"b'] }, '8'),
      ...Object.values(backup.atomicRestore ?? {}).map((program) => program(login(suffix), database, suffix)),
    ]
    const [plain, strange] = [programs('', target), programs(' $(id)\'"\\', odd)]
    assert.deepEqual(
      plain.map(({ argv }) => argv),
      strange.map(({ argv }) => argv),
    )
    for (const { env, files = [] } of [...plain, ...strange]) {
      assert.doesNotMatch(JSON.stringify(env), /secret[^"]/)
      assert.ok(!Object.values(env).some((value) => value.includes('secret')))
      assert.ok(files.length > 0 && files.every(({ mode }) => mode === 0o600))
    }
  }
})

const contents = (fields: Partial<ArchiveContents> = {}): ArchiveContents => ({
  tables: {},
  objects: {},
  roles: null,
  database: null,
  ...fields,
})
const counted = (rows: number, checksum = 'x') => ({ rows, checksum })

const comparisons: [expected: ArchiveContents, actual: ArchiveContents, sentences: string[]][] = [
  [contents(), contents(), []],
  [contents({ tables: { t: counted(2) } }), contents({ tables: { t: counted(2) } }), []],
  [contents({ tables: { t: counted(2) } }), contents(), ['Table t with 2 rows is missing']],
  [contents(), contents({ tables: { t: counted(1) } }), ['Table t with 1 row should not be there']],
  [
    contents({ tables: { t: counted(2) } }),
    contents({ tables: { t: counted(1) } }),
    ['Table t has 1 row instead of 2'],
  ],
  [
    contents({ tables: { t: counted(2) } }),
    contents({ tables: { t: counted(2, 'y') } }),
    ['Table t has other contents in its 2 rows'],
  ],
  [
    contents({ objects: { VIEW: counted(1) } }),
    contents({ objects: { VIEW: counted(1, 'y') } }),
    ['Object type VIEW has other contents in its 1 statement'],
  ],
  [contents({ roles: ['a'] }), contents({ roles: [] }), ['The named roles are [] instead of ["a"]']],
  [contents({ tables: { toString: counted(0) } }), contents(), ['Table toString with 0 rows is missing']],
]

test('describes each difference between two archives in a sentence', () => {
  for (const [expected, actual, sentences] of comparisons) assert.deepEqual(differences(expected, actual), sentences)
})

test('describes at most twenty differences, and counts the rest', () => {
  const tables = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`${i}${'x'.repeat(500)}`, counted(1)]))
  const all = differences(contents({ tables }), contents())
  assert.deepEqual([all.length, all.at(-1), all.every((it) => it.length < 150)], [21, '980 more differences', true])
})

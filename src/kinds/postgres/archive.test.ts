/** The reader of PostgreSQL's archives, and the roles that an archive names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ArchiveContents, BrokenArchive } from '../backup.ts'
import { postgresReader } from './archive.ts'
import { rolesNamed } from './roles.ts'

function read(text: string | Buffer, size = 0): ArchiveContents {
  const bytes = Buffer.from(text as string)
  const reader = postgresReader()
  const step = size || bytes.length
  for (let at = 0; at < bytes.length; at += step) reader.write(bytes.subarray(at, at + step))
  return reader.end()
}

const begin = `--
-- PostgreSQL database dump
--

\\restrict AbC123
-- Dumped from database version 18.1

SET statement_timeout = 0;
`
const end = `--
-- PostgreSQL database dump complete
--

\\unrestrict AbC123

`
const entry = (name: string, type: string, body: string, prefix = '') =>
  `--\n-- ${prefix}Name: ${name}; Type: ${type}; Schema: public; Owner: it's\n--\n\n${body}\n\n`
const data = (target: string, rows: string[]) =>
  entry('t', 'TABLE DATA', `COPY ${target} FROM stdin;\n${[...rows, '\\.'].join('\n')}\n`, 'Data for ')

const table = entry(
  't',
  'TABLE',
  "SET default_tablespace = '';\n\nCREATE TABLE public.t (\n    a integer\n);\n\n\n" +
    'ALTER TABLE public.t OWNER TO "it\'s ""x";',
)
const code = entry('f()', 'FUNCTION', 'CREATE FUNCTION public.f() AS $$\n-- a comment; "\nCOPY x FROM stdin;\n$$;')
const large = entry(
  'BLOBS',
  'BLOBS',
  `BEGIN;

SELECT pg_catalog.lo_open('1', 131072);
SELECT pg_catalog.lowrite(0, '\\x00ff');
SELECT pg_catalog.lo_close(0);

SELECT pg_catalog.lo_open('2', 131072);
SELECT pg_catalog.lo_close(0);

COMMIT;`,
  'Data for ',
)
const rows = ['1\t\\N', '2\tx', '\\\\.', '-- Name: x; Type: VIEW; Schema: y; Owner: z', '']
const odd = '"od.d ""s"."ta b(le"'
const dump = [
  begin,
  table,
  code,
  data('public.t (a, b)', rows),
  data(`${odd} ("c )")`, ['1']),
  data('public.none ', []),
  large,
  entry('t_id_seq', 'SEQUENCE SET', "SELECT pg_catalog.setval('public.t_id_seq', 3, true);"),
  end,
].join('')

const countsOf = (all: ArchiveContents['tables']) => Object.entries(all).map(([name, { rows: count }]) => [name, count])

test('counts rows, large objects, and all other objects by type', () => {
  const { tables, objects, roles } = read(dump)
  assert.deepEqual(countsOf(tables), [
    [odd, 1],
    ['large objects', 2],
    ['public.none', 0],
    ['public.t', 5],
  ])
  assert.deepEqual(countsOf(objects), [
    ['FUNCTION', 1],
    ['SEQUENCE SET', 1],
    ['SETTINGS', 1],
    ['TABLE', 1],
    ['TABLE DATA', 3],
  ])
  assert.deepEqual(roles, ['it\'s "x'])
})

test('returns the same result for all chunk sizes', () => {
  const expected = read(dump)
  for (const size of [1, 2, 3, 5, 7, 16, 61]) assert.deepEqual(read(dump, size), expected)
})

test('refuses an archive without its end mark, and an archive that continues after the mark', () => {
  const last = dump.indexOf('-- PostgreSQL database dump complete')
  for (let cut = 0; cut < last + 36; cut++) {
    assert.throws(() => read(Buffer.from(dump).subarray(0, cut)), BrokenArchive, `the first ${cut} bytes`)
  }
  assert.throws(() => read(`${dump}${table}`), BrokenArchive)
})

test('checksums depend on the contents, but not on their order or on random values', () => {
  const parts = [table, code, data('public.t (a)', ['1', '2', '2'])]
  const expected = read([begin, ...parts, end].join(''))
  assert.deepEqual(read([begin, ...parts.toReversed(), end].join('').replaceAll('AbC123', 'xYz')), expected)
  assert.deepEqual(read([begin, table, code, data('public.t (a)', ['2', '1', '2']), end].join('')), expected)
  for (const other of [
    ['1', '2'],
    ['1', '2', '3'],
    ['1', '1', '2'],
    ['1', '22', ''],
  ]) {
    assert.notDeepEqual(read([begin, table, code, data('public.t (a)', other), end].join('')).tables, expected.tables)
  }
  const changed = read([begin, ...parts, end].join('').replace('a comment', 'another'))
  assert.notDeepEqual(changed.objects.FUNCTION, expected.objects.FUNCTION)
  const policy = (list: string) =>
    read(begin + entry('p', 'POLICY', `CREATE POLICY p ON t TO ${list} USING (true);`) + end)
  assert.deepEqual(policy('a, "b c"'), policy('"b c", a'))
})

const roleLines: [type: string, line: string, roles: string[]][] = [
  ['ACL', 'GRANT SELECT(a),UPDATE(b) ON TABLE public.t TO "a ""b";', ['a "b']],
  ['ACL', 'GRANT ALL ON SCHEMA x TO PUBLIC;', []],
  ['ACL', 'REVOKE ALL ON FUNCTION public.f() FROM bob;', ['bob']],
  ['ACL', 'GRANT SELECT ON TABLE public.t TO ann WITH GRANT OPTION;', ['ann']],
  ['DEFAULT ACL', 'ALTER DEFAULT PRIVILEGES FOR ROLE a IN SCHEMA s GRANT SELECT ON TABLES  TO "B";', ['a', 'B']],
  ['POLICY', 'CREATE POLICY p ON public.t FOR SELECT TO a, "b, c" USING ((id > 0));', ['a', 'b, c']],
  ['USER MAPPING', 'CREATE USER MAPPING FOR a SERVER s OPTIONS (', ['a']],
  ['USER MAPPING', 'CREATE USER MAPPING FOR PUBLIC SERVER s;', []],
  ['TABLE', 'ALTER TABLE public.t OWNER TO pg_database_owner;', []],
  ['FUNCTION', '  perform x TO y;', []],
]

test('returns the roles that a statement names', () => {
  for (const [type, line, roles] of roleLines) assert.deepEqual(rolesNamed(type, line), roles, line)
})

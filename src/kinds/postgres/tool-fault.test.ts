/** The faults that are found in the last lines of PostgreSQL's tools. The lines are those of PostgreSQL 15. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ToolFault } from '../backup.ts'
import { postgresToolFault } from './tool-fault.ts'

const missing = (context: string) => `ERROR:  function unaccent(text) does not exist
LINE 1: unaccent(t)
        ^
HINT:  No function matches the given name and argument types. You might need to add explicit type casts.
QUERY:  unaccent(t)
CONTEXT:  ${context}
`
const slug = 'PL/pgSQL function public.slug(text) line 1 at RETURN'
const name = { reason: 'NameNotFound', missing: 'function unaccent(text)', routine: 'public.slug(text)' } as const

const cases: [title: string, lines: string, fault: ToolFault | null][] = [
  [
    'a generated column',
    `pg_restore: error: COPY failed for table "p": ${missing(slug)}COPY p, line 1: "A"
Berth: column public.other.s calls public.slug(text)
Berth: column public.p.x calls public.another(text)
Berth: column public.p.s calls public.slug(text)`,
    { ...name, object: 'column public.p.s' },
  ],
  [
    'a constraint of a table',
    `pg_restore: error: COPY failed for table "p": ${missing(slug)}COPY p, line 1: "A"`,
    { ...name, object: 'table p' },
  ],
  [
    'an index',
    `pg_restore: error: could not execute query: ${missing(slug)}
Command was: CREATE UNIQUE INDEX q_slug_idx ON public.q USING btree (public.slug(n));
`,
    { ...name, object: 'index q_slug_idx of public.q' },
  ],
  [
    'a materialized view, and a function in SQL',
    `pg_restore: error: could not execute query: ${missing('SQL function "slug" during startup')}
Command was: REFRESH MATERIALIZED VIEW public.mv;
`,
    { ...name, routine: 'slug', object: 'materialized view public.mv' },
  ],
  [
    'a function with quotation marks, for another object',
    `ERROR:  relation "t" does not exist
CONTEXT:  PL/pgSQL function public."od d"(integer,text) line 3 at SQL statement
Command was: SELECT 1`,
    { reason: 'NameNotFound', missing: 'relation "t"', routine: 'public."od d"(integer,text)', object: null },
  ],
  ['a missing name outside of a function', 'ERROR:  relation "t" does not exist', null],
  [
    'too many tables',
    'pg_dump: error: query failed: ERROR:  out of shared memory\nHINT:  You might need to increase max_locks_per_transaction.',
    { reason: 'LocksExhausted' },
  ],
  ['another lack of memory', 'ERROR:  out of shared memory', null],
  [
    'a table that the role cannot read',
    'pg_dump: error: query failed: ERROR:  permission denied for table q\npg_dump: detail: Query was: LOCK TABLE public.q',
    { reason: 'ReadRefused', object: 'table q', role: 'low', right: 'pg_read_all_data' },
  ],
  [
    'rows that the role cannot read',
    'ERROR:  query would be affected by row-level security policy for table "q"',
    { reason: 'ReadRefused', object: 'table q', role: 'low', right: 'BYPASSRLS' },
  ],
  ['another fault', 'pg_dump: error: connection to server failed', null],
]
for (const [title, lines, fault] of cases) {
  test(`finds the fault of ${title}`, () => {
    assert.deepEqual(postgresToolFault(lines, 'low'), fault)
  })
}

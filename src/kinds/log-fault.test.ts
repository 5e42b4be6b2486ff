import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from './index.ts'
import { logFault } from './log-fault.ts'

const mongoJson = (severity: string, msg: string, attr: object = {}) =>
  JSON.stringify({
    t: { $date: '2026-11-28T12:00:00.000+00:00' },
    s: severity,
    c: 'CONTROL',
    id: 1,
    ctx: '-',
    msg,
    attr,
  })
const mysql = (rest: string) => `2026-11-28T12:00:00.123456Z 0 [${rest}`

const logs: [kind: string, lines: string[], fault: string | null][] = [
  [
    'mongo',
    ["Error parsing command line: unrecognised option '--x'", "try 'mongod --help' for more information"],
    "Error parsing command line: unrecognised option '--x'",
  ],
  [
    'mongo',
    [
      'Error parsing option "x" as double in: Did not consume whole number.',
      "try 'mongod --help' for more information",
    ],
    'Error parsing option "x" as double in: Did not consume whole number',
  ],
  ['mongo', ['Error reading config file: No such file'], 'Error reading config file: No such file'],
  [
    'mongo',
    [
      '2026-11-28T12:00:00.000+0000 I STORAGE  [initandlisten] exception in initAndListen: Location18656: Cannot start ' +
        'server with an unknown storage engine: x, terminating',
      '2026-11-28T12:00:00.000+0000 I CONTROL  [initandlisten] shutting down with code:100',
    ],
    'Location18656: Cannot start server with an unknown storage engine: x',
  ],
  [
    'mongo',
    [mongoJson('I', 'started'), 'BadValue: security.keyFile is required', mongoJson('I', 'ended')],
    'BadValue: security.keyFile is required',
  ],
  [
    'mongo',
    [
      mongoJson('I', 'started', { error: 'none' }),
      mongoJson('E', 'Error during global initialization', { error: { code: 2, errmsg: 'a "quoted" key' } }),
      ...Array.from({ length: 30 }, () => mongoJson('I', 'Shutting down', { reason: 'exit' })),
    ],
    'Error during global initialization: a \\"quoted\\" key',
  ],
  ['mongo', [mongoJson('F', 'Fatal assertion', { msgid: 1 })], 'Fatal assertion'],
  [
    'mongo',
    ['2026-11-28T12:00:00.000+0000 F CONTROL  [main] Failed global initialization: BadValue x'],
    'Failed global initialization: BadValue x',
  ],
  ['mongo', [mongoJson('I', 'ended'), mongoJson('W', 'careful')], null],
  [
    'postgres',
    [
      '2026-11-28 12:00:00.000 UTC [1] LOG:  starting',
      '2026-11-28 12:00:00.000 UTC [1] FATAL:  unrecognized configuration parameter "x"',
      '2026-11-28 12:00:00.000 UTC [1] LOG:  database system is shut down',
    ],
    'unrecognized configuration parameter "x"',
  ],
  [
    'postgres',
    ['[9] FATAL:  password authentication failed for user "a"', '[1] PANIC:  could not locate a checkpoint'],
    'could not locate a checkpoint',
  ],
  [
    'postgres',
    ["postgres: unrecognized option '--x'", 'Try "postgres --help" for more information.'],
    "unrecognized option '--x'",
  ],
  ['postgres', ['[9] FATAL:  the database system is starting up'], null],
  [
    'mysql',
    [
      mysql('System] [MY-010116] [Server] mysqld starting'),
      mysql("ERROR] [MY-000067] [Server] unknown variable 'x=1'."),
      mysql('ERROR] [MY-010119] [Server] Aborting'),
    ],
    "unknown variable 'x=1'",
  ],
  [
    'mysql',
    [
      '2026-11-28 12:00:00+00:00 [ERROR] [Entrypoint]: mysqld failed while attempting to check config',
      '\tcommand was: mysqld --x --verbose --help',
      mysql("ERROR] [MY-000068] [Server] unknown option '--x'."),
    ],
    "unknown option '--x'",
  ],
  [
    'mysql',
    [
      mysql('ERROR] [MY-012574] [InnoDB] Unable to lock ./ibdata1 error: 11'),
      mysql('ERROR] [MY-010119] [Server] Aborting'),
    ],
    'Unable to lock ./ibdata1 error: 11',
  ],
  ['mysql', [mysql('ERROR] [MY-010119] [Server] Aborting')], null],
  [
    'mariadb',
    ["2026-11-28 12:00:00 0 [ERROR] mariadbd: unknown variable 'x=1'", '2026-11-28 12:00:00 0 [ERROR] Aborting'],
    "mariadbd: unknown variable 'x=1'",
  ],
  [
    'redis',
    [
      '*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***',
      'Reading the configuration file, at line 2',
      `>>> 'save "sixty"'`,
      'Invalid save parameters',
    ],
    'save "sixty": Invalid save parameters',
  ],
  [
    'redis',
    ['1:M 28 Nov 2026 12:00:00.000 # Fatal error loading the DB, check server logs. Exiting.'],
    'Fatal error loading the DB, check server logs. Exiting',
  ],
  ['redis', ['1:M 28 Nov 2026 12:00:00.000 # WARNING Memory overcommit must be enabled!'], null],
  ['redis', [], null],
]
for (const [kind, lines, fault] of logs) {
  test(`${kind}: ${fault ?? 'no fault'}, in ${lines.length} lines`, () => {
    assert.equal(logFault(kindNamed(kind), lines), fault)
  })
}

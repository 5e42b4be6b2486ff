/** What the reader of MySQL's dumps takes from the comments of the dump program, and which objects name their database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArchiveContents } from '../backup.ts'
import { findingsIn } from '../dump-finding.ts'
import { completeMark, mysqlReader } from './archive.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')
const named = (database: string) => `-- Berth: Database ${hex(database)}\n`

/** Reads the dump in chunks of `size` bytes. */
function read(body: string, size = 7): ArchiveContents {
  const bytes = Buffer.from(`${body}\n${completeMark}\n`)
  const reader = mysqlReader()
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size))
  return reader.end()
}

test('reads the findings of the dump program, whatever the size of the chunks', () => {
  const body =
    `-- Berth: DefinerMissing PACKAGE_BODY ${hex('p`"\n')} ${hex('gone@%')}\n` +
    `-- Berth: ViewBroken VIEW ${hex('vü')} ${hex('1146')} ${hex("Table 'shop.a' doesn't exist")}\n` +
    '--   CREATE VIEW `vü` AS select 1;\n' +
    `-- Berth: DatabaseNeeded TABLE ${hex('t')} ${hex('crm')}`
  for (const size of [1, 7, 4096]) {
    assert.deepEqual(read(body, size).findings, [
      { reason: 'DefinerMissing', type: 'PACKAGE BODY', name: 'p`"\n', definer: 'gone@%' },
      { reason: 'ViewBroken', type: 'VIEW', name: 'vü', code: '1146', detail: "Table 'shop.a' doesn't exist" },
      { reason: 'DatabaseNeeded', type: 'TABLE', name: 't', database: 'crm' },
    ])
  }
})

test('finds the findings among the last lines of a program', () => {
  const lines = [
    'pg_dump: warning: x',
    `Berth: IndexInvalid INDEX ${hex('i')} ${hex('CREATE')}`,
    'Berth: column a calls b',
  ]
  assert.deepEqual(findingsIn(lines.join('\n')), [
    { reason: 'IndexInvalid', type: 'INDEX', name: 'i', definition: 'CREATE' },
  ])
  assert.deepEqual(findingsIn(''), [])
})

test('a dump with a broken view counts like one without the view', () => {
  const [table, view] = [
    'CREATE TABLE `a` (\n) ENGINE=InnoDB;',
    `-- Berth: ViewBroken VIEW ${hex('v')} 31 ${hex('gone')}`,
  ]
  const { findings, ...contents } = read(`${view}\n--   CREATE VIEW \`v\` AS select 1;\n${table}`)
  assert.deepEqual([findings?.length, contents], [1, read(table)])
})

test('ignores comments of another form', () => {
  const lines = [
    '-- Berth: Unknown VIEW 76 31',
    '-- Berth: ViewBroken',
    '-- Berth: ViewBroken VIEW 7 31',
    '-- Berth: DefinerMissing VIEW zz 31',
    ' -- Berth: begin of something',
    '-- Berth: begin of the views that need other databases',
    `-- Berth: ViewBroken VIEW ${'61'.repeat(20_000)} 31 32`,
  ]
  assert.equal(read(lines.join('\n')).findings, undefined)
})

const objects: [title: string, statement: string, expected: string[]][] = [
  [
    'a view',
    '/*!50001 CREATE ALGORITHM=MERGE */ /*!50001 VIEW `v` AS select `orders`.`t`.`id` from `t` */;',
    ['VIEW v'],
  ],
  [
    'a view that names an alias',
    '/*!50001 CREATE ALGORITHM=MERGE */ /*!50001 VIEW `v` AS select `o`.`id` from `t` `o` */;',
    [],
  ],
  [
    'a view in other letters',
    '/*!50001 CREATE ALGORITHM=MERGE */ /*!50001 VIEW `v``w` AS select 1 from `Orders` . `t` */;',
    ['VIEW v`w'],
  ],
  ['a placeholder', '/*!50001 CREATE VIEW `v` AS SELECT 1 AS `orders.x`*/;', []],
  ['a table', 'CREATE TABLE `t` (\n `a` int COMMENT "orders.x"\n) ENGINE=InnoDB;', []],
  [
    'a trigger',
    'DELIMITER ;;\n/*!50003 CREATE*/ /*!50017 DEFINER=`r`@`%`*/ /*!50003 trigger tr before insert on t for each row\n' +
      'insert into orders.audit values (1) */;;\nDELIMITER ;',
    ['TRIGGER tr'],
  ],
  [
    'a qualified trigger',
    'DELIMITER ;;\n/*!50003 CREATE*/ /*!50003 TRIGGER orders.`t r` before insert on t for each row set @a=1 */;;\nDELIMITER ;',
    ['TRIGGER t r'],
  ],
  [
    'a procedure without a qualifier',
    'DELIMITER ;;\nCREATE DEFINER=`r`@`%` PROCEDURE `p`()\nselect orders_old.x, my.orders.y from orders_old ;;\nDELIMITER ;',
    [],
  ],
  [
    'an event',
    'DELIMITER ;;\nCREATE EVENT `e` ON SCHEDULE EVERY 1 DAY DO delete from orders.t ;;\nDELIMITER ;',
    ['EVENT e'],
  ],
]
for (const [title, statement, expected] of objects) {
  test(`finds whether ${title} names the dumped database`, () => {
    const { boundBy, database } = read(named('orders') + statement)
    assert.deepEqual(
      [boundBy?.map(({ type, name }) => `${type} ${name}`), database],
      [expected, expected.length === 0 ? null : 'orders'],
    )
  })
}

test('says nothing about names if the dump does not say how its database was called', () => {
  const { boundBy, database } = read('CREATE ALGORITHM=UNDEFINED VIEW `v` AS select `orders`.`t`.`id` from `t`;')
  assert.deepEqual([boundBy, database], [undefined, null])
})

test('finds the name of a database with special characters', () => {
  const { boundBy } = read(
    `${named('a`b$c-d')}CREATE VIEW x;\nCREATE ALGORITHM=MERGE VIEW \`v\` AS select 1 from \`a\`\`b$c-d\`.\`t\`;`,
  )
  assert.deepEqual(boundBy, [{ type: 'VIEW', name: 'v' }])
})

test('names at most 20 objects', () => {
  const view = (at: number) => `CREATE ALGORITHM=MERGE VIEW \`v${at}\` AS select 1 from \`s\`.\`t\`;\n`
  assert.equal(read(named('s') + Array.from({ length: 30 }, (_, at) => view(at)).join('')).boundBy?.length, 20)
})

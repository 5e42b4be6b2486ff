/** Which lines of an inventory belong to a database, so that a restore of this database may change them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from './index.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')

const cases: [kind: string, line: string, database: string, isOfDatabase: boolean][] = [
  ['mysql', `database\t${hex('shop')}`, 'shop', true],
  ['mysql', `database\t${hex('shop2')}`, 'shop', false],
  ['mysql', "properties of a database\t'shop'\t'utf8mb4'\t'utf8mb4_bin'", 'shop', true],
  ['mysql', "properties of a database\t'it\\'s \\\\'\t'utf8mb4'\t'utf8mb4_bin'", "it's \\", true],
  ['mysql', "grant in a database\t'\\'ada\\'@\\'%\\''\t'my\\\\_shop'\t'SELECT'\t'NO'", 'my_shop', true],
  ['mysql', "grant in a database\t'\\'shop\\'@\\'%\\''\t'other'\t'SELECT'\t'NO'", 'shop', false],
  ['mariadb', "grant on a table\t'\\'ada\\'@\\'%\\''\t'shop'\t'item'\t'SELECT'\t'NO'", 'shop', true],
  ['mariadb', "grant on a column\t'\\'ada\\'@\\'%\\''\t'shop'\t'item'\t'id'\t'SELECT'\t'NO'", 'shop', true],
  ['mariadb', "grant on a routine\t'ada'\t'%'\t'shop'\t'sum'\t'FUNCTION'\t'Execute'", 'shop', true],
  ['mariadb', "grant on a routine\t'shop'\t'%'\t'other'\t'sum'\t'FUNCTION'\t'Execute'", 'shop', false],
  ['mysql', "account\t'shop'\t'%'", 'shop', false],
  ['mongo', `database\t${hex('shop')}`, 'shop', true],
  ['mongo', 'users\tshop.clerk\t{}', 'shop', true],
  ['mongo', 'roles\tshop.reader\t{}', 'shop', true],
  ['mongo', 'users\tshop2.shop.clerk\t{}', 'shop', false],
]
for (const [kind, line, database, isOfDatabase] of cases) {
  test(`${kind}: ${JSON.stringify(line)} ${isOfDatabase ? 'belongs' : 'does not belong'} to ${database}`, () => {
    assert.equal(kindNamed(kind).backup!.serverInventory!.concerns!(line, database), isOfDatabase)
  })
}

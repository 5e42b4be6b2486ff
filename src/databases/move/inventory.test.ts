/** The comparison of inventories after a copy, and the order in which the dump of a restore is loaded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kindNamed } from '../../kinds/index.ts'
import type { CopyContext } from './copy-context.ts'
import { CopyFailure } from './copy-failure.ts'
import { canLoadFirst } from './copy-databases.ts'
import { checkEqual, checkKept, checkUndumped } from './inventory.ts'
import type { RestoredDump } from './restored-dump.ts'

const hex = (text: string) => Buffer.from(text).toString('hex')
const dump = { database: 'shop', needsOthers: false } as RestoredDump
const context = { dump, serverInventory: kindNamed('mysql').backup!.serverInventory! } as CopyContext

const [account, shopGrant, otherGrant, shopSet] = [
  "account\t'ada'\t'%'\tsecret-hash",
  "grant on a routine\t'ada'\t'%'\t'shop'\t'sum'\t'FUNCTION'\t'Execute'",
  "grant on a routine\t'ada'\t'%'\t'other'\t'sum'\t'FUNCTION'\t'Execute'",
  "properties of a database\t'shop'\t'latin1'\t'latin1_bin'",
]

test('after a restore, entries of the replaced database may be missing, and further ones may exist', () => {
  checkKept(context, [account, shopGrant, shopSet], [account, "account\t'new'\t'%'\t"])
  for (const lost of [account, otherGrant]) {
    assert.throws(
      () =>
        checkKept(
          context,
          [account, otherGrant],
          [account, otherGrant].filter((line) => line !== lost),
        ),
      (error) => error instanceof CopyFailure && !JSON.stringify(error.reason).includes('secret'),
    )
  }
})

test('a move copies all entries, and before that those that no dump has', () => {
  checkUndumped(context, [account, shopGrant], [account])
  assert.throws(() => checkUndumped(context, [account], [account, "account\t'new'\t'%'\t"]), CopyFailure)
  checkEqual([account, shopGrant], [shopGrant, account])
  assert.throws(() => checkEqual([account, shopGrant], [account]), CopyFailure)
})

test('the dump is loaded first, unless it needs other databases or one has the same name in another case', () => {
  const lines = (...names: string[]) => names.map((name) => `database\t${hex(name)}`)
  assert.equal(canLoadFirst(dump, lines('shop', 'other')), true)
  assert.equal(canLoadFirst({ ...dump, needsOthers: true }, lines('shop')), false)
  assert.equal(canLoadFirst(dump, lines('Shop')), false)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adoptionsOf, credentialFields, decisionsOf, type Entry, openEntries } from './decisions.ts'

const entry = (subjectId: string, decisions: Entry['decisions']): Entry => ({
  subjectKind: 'database',
  subjectId,
  name: subjectId,
  reason: '',
  reasonCode: 'AsRecorded',
  decisions,
  credentials: [],
  proposal: decisions[0] ?? null,
})
const entries = [entry('equal', []), entry('moved', ['adopt', 'forget']), entry('removed', ['create', 'forget'])]

test('asks only about entries with decisions', () => {
  assert.deepEqual(
    openEntries({ entries }).map(({ subjectId }) => subjectId),
    ['moved', 'removed'],
  )
})

test('takes the choice of the person if it is possible, otherwise the proposal', () => {
  const chosen = { moved: 'forget', removed: 'leave', unknown: 'leave' } as const
  assert.deepEqual(decisionsOf(openEntries({ entries }), chosen), { moved: 'forget', removed: 'create' })
})

test('sends the credentials of the services that are adopted', () => {
  const credentials = [
    { name: 'databaseUser', isSecret: false },
    { name: 'databasePassword', isSecret: true },
  ]
  const services = ['shop', 'left'].map((name) => ({ ...entry(name, ['leave', 'adopt']), credentials }))
  const fields = services.flatMap(credentialFields)
  assert.deepEqual(
    fields.map(({ path, label, isSecret }) => [path, label, isSecret]),
    [
      ['adoptions.shop.databaseUser', 'User', false],
      ['adoptions.shop.databasePassword', 'Password', true],
      ['adoptions.left.databaseUser', 'User', false],
      ['adoptions.left.databasePassword', 'Password', true],
    ],
  )
  const values = Object.fromEntries(fields.map(({ path }) => [path, `value of ${path}`]))
  assert.deepEqual(adoptionsOf([...services, ...entries], { shop: 'adopt', left: 'leave', moved: 'adopt' }, values), {
    shop: {
      databaseUser: 'value of adoptions.shop.databaseUser',
      databasePassword: 'value of adoptions.shop.databasePassword',
    },
  })
})

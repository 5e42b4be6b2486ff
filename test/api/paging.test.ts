/** Paging of lists: limit, cursor and the header Berth-Next-Cursor. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { kinds } from '../../src/kinds/index.ts'
import { databaseClientsOf } from '../fixtures/database-clients.ts'
import { type Input, type ProjectBody, type TestBerth, startTestBerth } from '../fixtures/test-berth.ts'

interface List {
  name: string
  id: string
  fill(testBerth: TestBerth, count: number): Promise<void>
}

const lists: List[] = [
  { name: 'project.all', id: 'projectId', fill: fillProjects },
  { name: 'volume.all', id: 'volumeId', fill: fillVolumes },
  { name: 'deployment.all', id: 'deploymentId', fill: fillVolumes },
]

/** A test Berth already has one project. */
async function fillProjects(testBerth: TestBerth, count: number) {
  for (let i = 1; i < count; i++) await testBerth.ok('project.create', { name: `p${i}` })
}

async function fillVolumes(testBerth: TestBerth, count: number) {
  for (let i = 0; i < count; i++) await databaseClientsOf(testBerth, kinds[0]!).createDeployed()
}

async function page(testBerth: TestBerth, { name, id }: List, input: Input) {
  const { status, body, headers } = await testBerth.call<Record<string, string>[]>(name, input)
  assert.equal(status, 200, JSON.stringify(body))
  const next = headers['berth-next-cursor']
  return { ids: body.map((it) => it[id]!), next: next === undefined ? undefined : decodeURIComponent(next) }
}

for (const list of lists) {
  describe(list.name, () => {
    test('without a limit the answer contains all records and no cursor', async () => {
      await using testBerth = await startTestBerth()
      await list.fill(testBerth, 5)
      const { ids, next } = await page(testBerth, list, {})
      assert.deepEqual([ids.length, ids.toSorted(), next], [5, ids, undefined])
    })

    for (const limit of [1, 2, 4, 5, 6, 1000]) {
      test(`pages of ${limit} contain 5 records once, in order, and the last page has no cursor`, async () => {
        await using testBerth = await startTestBerth()
        await list.fill(testBerth, 5)
        const { ids: all } = await page(testBerth, list, {})
        const pages: string[][] = []
        let cursor: string | undefined
        do {
          const { ids, next } = await page(testBerth, list, { limit, ...(cursor === undefined ? {} : { cursor }) })
          pages.push(ids)
          cursor = next
        } while (cursor !== undefined)
        assert.deepEqual(pages.flat(), all)
        assert.deepEqual(
          pages.map(({ length }) => length),
          sizesOf(5, limit),
        )
      })
    }

    test('a cursor without a limit answers all records after it', async () => {
      await using testBerth = await startTestBerth()
      await list.fill(testBerth, 4)
      const { ids: all } = await page(testBerth, list, {})
      const { next } = await page(testBerth, list, { limit: 1 })
      assert.deepEqual(await page(testBerth, list, { cursor: next }), { ids: all.slice(1), next: undefined })
      assert.deepEqual((await page(testBerth, list, { cursor: all.at(-1), limit: 2 })).ids, [])
    })

    test('refuses invalid limits and cursors and names the field', async () => {
      await using testBerth = await startTestBerth()
      for (const limit of ['0', '-1', '1001', '1.5', 'x', '', ' ', 'Infinity', 'NaN'])
        await testBerth.refused('BAD_REQUEST', list.name, { limit }, 'limit')
      await testBerth.refused('BAD_REQUEST', list.name, { cursor: 'x'.repeat(256) }, 'cursor')
      for (const cursor of ["' or 1=1 --", '\u0000', '%']) await testBerth.ok(list.name, { cursor })
    })
  })
}

function sizesOf(count: number, limit: number): number[] {
  return Array.from({ length: Math.ceil(count / limit) }, (_, at) => Math.min(limit, count - at * limit))
}

test('a page continues after the previous one, even if its last record was removed', async () => {
  await using testBerth = await startTestBerth()
  await fillProjects(testBerth, 4)
  const { ids: all } = await page(testBerth, lists[0]!, {})
  const first = await page(testBerth, lists[0]!, { limit: 2 })
  await testBerth.ok('project.remove', { projectId: all[1]! })
  await testBerth.ok('project.create', { name: 'new' })
  const { ids, next } = await page(testBerth, lists[0]!, { limit: 10, cursor: first.next })
  assert.deepEqual([ids.slice(0, 2), ids.length, next], [all.slice(2), 3, undefined])
})

test('each project on a page contains its own services', async () => {
  await using testBerth = await startTestBerth()
  const databaseClients = databaseClientsOf(testBerth, kinds[0]!)
  await fillProjects(testBerth, 3)
  const projects = await testBerth.ok<ProjectBody[]>('project.all')
  for (const { projectId, name } of projects)
    for (const at of ['a', 'b']) await databaseClients.create({ name: `${name}-${at}`, projectId })
  for (const [at, project] of (await testBerth.ok<ProjectBody[]>('project.all')).entries()) {
    const cursor = at === 0 ? {} : { cursor: projects[at - 1]!.projectId }
    assert.deepEqual(await testBerth.ok('project.all', { limit: 1, ...cursor }), [project])
    assert.deepEqual(
      (project[databaseClients.kind.name] as { name: string }[]).map(({ name }) => name),
      [`${project.name}-a`, `${project.name}-b`],
    )
  }
})

/** What is asked over HTTP, and what each figure is held against. The seed is made by real calls. */
import type { Berth } from './berth.ts'

export interface Cell {
  name: string
  method: 'GET' | 'POST'
  /** With the query. */
  path: string
  body: string
  /** At 16 connections: the ratio to the bare server that must hold, and the longest p99; null: none. */
  minRatio: number | null
  maxP99Ms: number | null
  /** Requests a second at 16 connections that the project aims at, on the machine that it was set for. */
  goal: number
}

const projects = 100

const read = (path: string, goal: number): Cell => ({
  name: path.split('?')[0]!,
  method: 'GET',
  path: `/api/${path}`,
  body: '',
  minRatio: 0.4,
  maxP99Ms: 5,
  goal,
})

const write = (name: string, body: object, goal: number): Cell => ({
  name,
  method: 'POST',
  path: `/api/${name}`,
  body: JSON.stringify(body),
  minRatio: 1,
  maxP99Ms: null,
  goal,
})

/** Reads come first: writes make the lists longer. */
export async function seedCells(berth: Berth): Promise<Cell[]> {
  const ids = await Promise.all(Array.from({ length: projects }, (_, at) => seedProject(berth, at)))
  const { projectId, postgresId } = ids[0]!
  const post = await berth.call('project.create', { name: 'written' })
  return [
    read('auth.get', 25 * 520),
    read(`project.one?projectId=${projectId}`, 25 * 309),
    read(`postgres.one?postgresId=${postgresId}`, 25 * 386),
    { ...read('project.all', 10 * 181), minRatio: null, maxP99Ms: null },
    write('project.create', { name: 'shop' }, 25 * 441),
    write('postgres.create', databaseOf('#', post.projectId as string), 25 * 203),
  ]
}

async function seedProject(berth: Berth, at: number) {
  const project = await berth.call('project.create', { name: `project ${at}`, description: 'For the bench' })
  const projectId = project.projectId as string
  const made = await Promise.all(
    ['orders', 'users'].map((name) => berth.call('postgres.create', databaseOf(`${name} ${at}`, projectId))),
  )
  return { projectId, postgresId: made[0]!.postgresId as string }
}

const databaseOf = (name: string, projectId: string) => ({
  name,
  appName: '',
  projectId,
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: '',
})

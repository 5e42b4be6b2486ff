/** The requests of the HTTP benchmark with their limits. Their data is created by calls of the API. */
import type { Berth } from './berth.ts'

export interface Cell {
  name: string
  method: 'GET' | 'POST'
  /** The path with the query. */
  path: string
  body: string
  /** Limits at 16 connections: the minimum ratio to the bare server, and the maximum p99. Null: no limit. */
  minRatio: number | null
  maxP99Ms: number | null
  /** The project's goal at 16 connections in requests per second, on the machine for which the goal was set. */
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
  const databases = await Promise.all(
    ['orders', 'users'].map((name) => berth.call('postgres.create', databaseOf(`${name} ${at}`, projectId))),
  )
  return { projectId, postgresId: databases[0]!.postgresId as string }
}

const databaseOf = (name: string, projectId: string) => ({
  name,
  appName: '',
  projectId,
  databaseName: 'shop',
  databaseUser: 'shop',
  databasePassword: '',
})

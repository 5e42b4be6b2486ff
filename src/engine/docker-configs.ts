/**
 * Files inside containers, held by the swarm as configs. A config is named by its content's digest, so that
 * equal files share one and making it again changes nothing. Never for secrets.
 */
import { createHash } from 'node:crypto'
import type { ApiConfig } from './docker-api.ts'
import type { DockerClient } from './docker-client.ts'
import type { HeldFile } from './docker-spec.ts'
import { EngineRefused } from './engine.ts'
import { installationLabel } from './labels.ts'
import type { SpecFile } from './spec.ts'

export function holdFiles(client: DockerClient, installationId: string, files: SpecFile[]): Promise<HeldFile[]> {
  return Promise.all(files.map(async ({ path, content }) => {
    const configName = nameOf(content)
    return { path, configName, configId: await idOf(client, configName, content, installationId) }
  }))
}

/** Lets go of those configs that no service uses any more; the swarm itself refuses for the others. */
export async function dropUnused(client: DockerClient, ids: string[]): Promise<void> {
  await Promise.all(ids.map(async (id) => {
    try {
      await client.call({ method: 'DELETE', path: `/configs/${id}` })
    } catch (error) {
      if (!(error instanceof EngineRefused)) throw error
    }
  }))
}

function nameOf(content: string): string {
  return `berth-${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}

async function idOf(client: DockerClient, name: string, content: string, installationId: string): Promise<string> {
  const found = await find(client, name)
  if (found) return found.ID
  try {
    const body = { Name: name, Labels: { [installationLabel]: installationId }, Data: base64(content) }
    return (await client.call<{ ID: string }>({ method: 'POST', path: '/configs/create', body })).ID
  } catch (error) {
    // Another one may have been first.
    const made = error instanceof EngineRefused && error.status === 409 ? await find(client, name) : undefined
    if (!made) throw error
    return made.ID
  }
}

async function find(client: DockerClient, name: string): Promise<ApiConfig | undefined> {
  const configs = await client.call<ApiConfig[]>({ path: '/configs', query: { filters: { name: [name] } } })
  return configs.find((it) => it.Spec.Name === name)
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64')
}

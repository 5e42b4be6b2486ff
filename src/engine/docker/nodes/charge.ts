/** Stores which Berth process is in charge in the labels of a config of the swarm. */
import type { Charge, ChargeEngine, FoundCharge } from '../../charge.ts'
import { EngineFailure } from '../../engine.ts'
import { chargeConfigOf, installationLabel } from '../../labels.ts'
import type { ApiConfig } from '../transport/api.ts'
import type { DockerClient } from '../transport/client.ts'
import { isOutOfSequence } from '../transport/errors.ts'
import { ensureSwarm, isManager } from './swarm.ts'

const labelOf = {
  process: 'berth.charge.process',
  place: 'berth.charge.place',
  host: 'berth.charge.host',
  since: 'berth.charge.since',
} as const satisfies Record<keyof Charge, string>

/** A config needs content. Docker allows to change the labels only. */
const content = Buffer.from('The labels name the Berth process in charge of this swarm.\n').toString('base64')

export function dockerCharge(
  client: DockerClient,
  { installationId, advertiseAddress = null }: { installationId: string; advertiseAddress?: string | null },
): ChargeEngine {
  const name = chargeConfigOf(installationId)
  const labelsOf = (charge: Charge) => ({
    [installationLabel]: installationId,
    ...Object.fromEntries(Object.entries(labelOf).map(([field, label]) => [label, charge[field as keyof Charge]])),
  })
  return {
    async readCharge() {
      const config = await find(client, name)
      return config === null ? null : chargeFrom(config)
    },
    async writeCharge(charge, version) {
      if (version === null) return create(charge)
      const config = await find(client, name)
      if (config === null) throw new EngineFailure('conflict', `The config ${name} was removed`)
      const body = { ...config.Spec, Labels: labelsOf(charge) }
      try {
        await client.call({ method: 'POST', path: `/configs/${config.ID}/update`, query: { version }, body })
      } catch (error) {
        throw isOutOfSequence(error) ? new EngineFailure('conflict', (error as Error).message, { cause: error }) : error
      }
    },
  }

  async function create(charge: Charge) {
    await ensureSwarm(client, advertiseAddress)
    const spec = { Name: name, Labels: labelsOf(charge), Data: content }
    await client.call({ method: 'POST', path: '/configs/create', body: spec })
  }
}

async function find(client: DockerClient, name: string): Promise<ApiConfig | null> {
  const query = { filters: { name: [name] } }
  try {
    const configs = await client.call<ApiConfig[]>({ path: '/configs', query })
    // Docker's filter also returns objects whose name only begins with this name.
    return configs.find(({ Spec }) => Spec.Name === name) ?? null
  } catch (error) {
    // The engine refuses the call if it is in no swarm.
    if (await isManager(client)) throw error
    return null
  }
}

function chargeFrom({ Spec: { Labels }, Version }: ApiConfig): FoundCharge {
  const labels = Labels ?? {}
  const textOf = (field: keyof Charge) => labels[labelOf[field]] ?? ''
  return {
    process: textOf('process'),
    place: textOf('place'),
    host: textOf('host'),
    since: textOf('since'),
    version: Version.Index,
  }
}

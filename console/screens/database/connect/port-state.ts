/** Whether the external port of a database is open, and when a change of it takes effect. Pure. */
import type { DatabaseRecord } from '../../../data/kinds.ts'

type Facts = Pick<DatabaseRecord, 'externalPort' | 'applicationStatus' | 'connection'>

/** Berth has logged in to the database, and the URL for clients outside has this port. */
export const isPortOpen = (record: Facts): boolean => record.applicationStatus === 'done' && isDeployed(record)

/** The database is down, and the port needs no deploy: it answers when the database does. */
export const isPortDown = (record: Facts): boolean => record.applicationStatus === 'error' && isDeployed(record)

const isDeployed = ({ externalPort, connection: { externalUrl } }: Facts) =>
  externalUrl !== null && URL.parse(externalUrl)?.port === String(externalPort)

/** A change takes effect by itself only if the database is up. */
export function changeText({ applicationStatus }: Pick<Facts, 'applicationStatus'>): string {
  return applicationStatus === 'done'
    ? 'The change takes effect within seconds and does not restart the database.'
    : 'The change takes effect with the next deploy.'
}

/** What holds for a port that is saved but not open; null: it is open, or there is none. */
export function waitingText(record: Facts): string | null {
  const { externalPort, applicationStatus } = record
  if (externalPort === null || isPortOpen(record)) return null
  if (isPortDown(record)) return `The database is down. The port ${externalPort} answers when the database is up again.`
  return applicationStatus === 'running'
    ? `Work on the database is under way. The port ${externalPort} opens when it has succeeded.`
    : `The port ${externalPort} is saved. It opens with the next deploy.`
}

/** Why the form cannot be sent; null: it can. @param port what was typed */
export function reasonAgainstPort(record: Facts, port: number | string): string | null {
  if (port === '') return 'Enter a port'
  if (port !== record.externalPort) return null
  return isPortOpen(record) ? 'This port is open already' : 'This port is saved already'
}

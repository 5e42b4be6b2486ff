/** Asks an address before a sign-in whether Berth is there, so that a wrong URL is told before any question. */
import { CommandError } from '../exit.ts'
import type { Target } from './contexts.ts'
import type { Session } from './session.ts'

interface Page {
  store?: string
  /** `none` before the first sign-in. Berth says this only while it is ready. */
  accounts?: string
  code?: string
  message?: string
}

/**
 * Whether the installation has no account yet; false also if it does not say.
 * @throws CommandError if Berth is not there; names the right URL if only the path is wrong
 */
export async function isNewInstallation(session: Session, target: Pick<Target, 'url' | 'caFile'>): Promise<boolean> {
  const { page, status, location } = await readyPage(session, target)
  if (isBerth(page)) return page?.accounts === 'none'
  if (page?.code === 'NOT_BERTH' || page?.code === 'GATEWAY_TIMEOUT')
    throw new CommandError('unavailable', page.message!)
  const { origin } = new URL(target.url)
  if (origin !== target.url && isBerth((await readyPage(session, { ...target, url: origin })).page)) {
    throw new CommandError('usage', `Berth is not at ${target.url}, but at ${origin}`, `Type: berth login ${origin}`)
  }
  const answered = location === null ? `answers HTTP ${status}, but not as Berth does` : `redirects to ${location}`
  throw new CommandError('unavailable', `${target.url} ${answered}. Is the URL right?`)
}

const isBerth = (page: Page | null) => page?.store !== undefined || page?.code === 'SERVICE_UNAVAILABLE'

async function readyPage(session: Session, target: Pick<Target, 'url' | 'caFile'>) {
  const answer = await session.readPage(target, '/readyz')
  const page = (await answer.json().catch(() => null)) as Page | null
  return { page, status: answer.status, location: answer.headers.get('location') }
}

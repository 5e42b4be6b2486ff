/**
 * The proxy is to serve what the store says. A change of a rule is loaded first and stored then, one at a time, so that
 * a call that was answered is in force; the loop's turn sets right what a crash, a restart or the swarm changed.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pLimit from 'p-limit'
import { EngineRefused, EngineUnavailable } from '../engine/engine.ts'
import { hash } from '../engine/spec.ts'
import { Refusal, refuse } from '../errors.ts'
import { type Admin, adminAt, ProxyRefused, ProxyUnavailable } from '../proxy/admin.ts'
import { keysSettleMs } from '../proxy/keys-config.ts'
import { type Part, parts, placesIn } from '../proxy/launch.ts'
import { proxyFaultOf, readRules, type Rules, writeProxyFault } from '../store/routing.ts'
import { acmeRootsIn, placeAcmeRoots } from './acme-roots.ts'
import { lookAfterIssuances } from './issuance.ts'
import { acmeFilesIn, configsOf } from './proxy-config.ts'
import { proxyHomeOf, type ProxyHome } from './proxy-home.ts'
import type { World } from './world.ts'

export interface ProxyChanges {
  /**
   * Loads the rules that `edit` makes of those there are, then commits; a commit that fails takes them back. What
   * either throws is thrown. Refuses with BAD_REQUEST what the proxy will not have, and with SERVICE_UNAVAILABLE where
   * it is down: then nothing is stored.
   */
  change<T>(edit: (rules: Rules) => Rules, commit: () => Promise<T>): Promise<T>
}

export interface ProxyWork extends ProxyChanges {
  turn(): Promise<void>
}

/** For a change to be taken, a proxy that has to be made first included. */
const changeMs = 15_000
const pollMs = 50

/** The proxy in Berth's hands. */
interface Held {
  world: World
  home: ProxyHome
  ends: End[]
}

export function proxyWork(world: World): ProxyWork {
  const home = proxyHomeOf(world)
  if (home === null) return { turn: async () => undefined, change: async () => refuse('SERVICE_UNAVAILABLE', isOff) }
  const held = { world, home, ends: endsOf(home) }
  const oneAtATime = pLimit(1)
  const change: ProxyChanges['change'] = (edit, commit) => {
    const until = performance.now() + changeMs
    return oneAtATime(() => makeChange(held, edit, commit, until))
  }
  return { turn, change }

  async function turn() {
    const seen = await oneAtATime(async () => {
      const rules = await readRules(world.db)
      const isWanted = servesSomething(rules) || (await home!.exists())
      return isWanted ? { rules, fault: await setRight(held, rules) } : null
    })
    if (seen === null) return
    await noteFault(world, seen.fault)
    if (seen.fault === null) await lookAfterIssuances(world, seen.rules, acmeFilesIn(home!.folder), { change })
  }
}

/** Gives what is wrong, in a sentence; null where all is in force. */
async function setRight(held: Held, rules: Rules): Promise<string | null> {
  try {
    // A proxy that runs takes its configuration without the engine.
    await held.home.ensure().catch((error: unknown) => {
      if (!(error instanceof EngineUnavailable)) throw error
    })
    await force(held, rules)
    return null
  } catch (error) {
    if (error instanceof ProxyRefused) return `The proxy refused its configuration: ${error.message}`
    if (error instanceof EngineRefused) return `The proxy cannot be made: ${error.message}`
    if (!(error instanceof ProxyUnavailable)) throw error
    return whyDown(held.home, error)
  }
}

async function makeChange<T>(
  held: Held,
  edit: (rules: Rules) => Rules,
  commit: () => Promise<T>,
  until: number,
): Promise<T> {
  const { world } = held
  const before = await readRules(world.db)
  const after = edit(before)
  try {
    await force(held, after)
      .catch(async (error: unknown) => {
        if (!(error instanceof ProxyUnavailable)) throw error
        await ready(held, until)
        await force(held, after)
      })
      .catch(refuseFor)
    await noteFault(world, null)
    return await commit()
  } catch (error) {
    await force(held, before).catch((fault: unknown) => world.log.error('a change could not be taken back', fault))
    throw error
  }
}

/** Makes a proxy where none answers, and waits for it. */
async function ready({ home, ends }: Held, until: number): Promise<void> {
  const areUp = async () => (await Promise.all(ends.map(({ admin }) => admin.answers()))).every(Boolean)
  if (await areUp()) return
  await home.ensure().catch(refuseFor)
  while (!(await areUp())) {
    if (performance.now() > until) {
      const why = await home.whyDown().catch((error: Error) => error.message)
      refuse('SERVICE_UNAVAILABLE', `The proxy does not answer${why === '' ? '' : `: ${why}`}. Nothing was stored`)
    }
    await pause(pollMs)
  }
}

async function force({ world, home, ends }: Held, rules: Rules): Promise<void> {
  placeAcmeRoots(acmeRootsIn(home.folder, world.config))
  const configs = configsOf(world, home.folder, rules)
  const wanted = ends.map(({ admin, part }) => ({ admin, part, config: configs[part], digest: hash(configs[part]) }))
  const isThere = await Promise.all(wanted.map(({ admin, digest }) => admin.has(digest)))
  for (const { admin, part, config, digest } of wanted.filter((_, at) => !isThere[at])) {
    await admin.load(config, digest)
    if (part === 'keys') await pause(keysSettleMs)
  }
}

const isOff = 'BERTH_PROXY is off, so nothing serves rules about applications'

interface End {
  part: Part
  admin: Admin
}

function endsOf({ folder }: ProxyHome): End[] {
  const places = placesIn(folder)
  return parts.map((part) => ({ part, admin: adminAt(places[`${part}Admin`]) }))
}

const servesSomething = ({ applications, redirects, users, certificates }: Rules): boolean =>
  redirects.length + users.length + certificates.length > 0 || applications.some(({ hosts }) => hosts !== '[]')

async function whyDown(home: ProxyHome, error: Error): Promise<string> {
  const why = await home.whyDown().catch(() => '')
  return why === '' ? error.message : `The proxy does not run: ${why}`
}

function refuseFor(error: unknown): never {
  if (error instanceof ProxyRefused) throw new Refusal('BAD_REQUEST', `The proxy would not have it: ${error.message}`)
  const isAway = [ProxyUnavailable, EngineUnavailable, EngineRefused].some((it) => error instanceof it)
  if (isAway) {
    refuse('SERVICE_UNAVAILABLE', `${(error as Error).message}. Nothing was stored`)
  }
  throw error
}

async function noteFault({ db, transact, log }: World, fault: string | null): Promise<void> {
  const before = await proxyFaultOf(db)
  if (before === fault) return
  await transact((tx) => writeProxyFault(tx, fault))
  if (fault === null) log.info('the proxy serves again')
  else log.warn('the proxy does not serve', { reason: fault })
}

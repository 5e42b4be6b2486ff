/** Divides the test of a destination into checks for people. The first request also shows whether the host is reached. Pure. */
import { explain, type FaultKind, type StorageFault } from '../../lib/storage/faults.ts'

export const checkNames = ['resolve', 'connect', 'sign', 'write', 'read', 'list', 'delete'] as const
type CheckName = (typeof checkNames)[number]

export interface Check {
  check: CheckName
  result: 'done' | 'failed' | 'notRun'
  /** Null: not run, or part of the first request. */
  tookMs: number | null
  error: string | null
}

interface ProbeStep {
  did: CheckName
  tookMs: number
  fault: StorageFault | null
}

/** The check that a failure of the first request belongs to. Other failures belong to the request itself. */
const stageOf: Partial<Record<FaultKind, CheckName>> = {
  name: 'resolve',
  egress: 'connect',
  proxy: 'connect',
  refused: 'connect',
  unreachable: 'connect',
  tls: 'connect',
  accessKey: 'sign',
  secretAccessKey: 'sign',
  region: 'sign',
  clock: 'sign',
  hostKey: 'connect',
  login: 'sign',
}

/** Returns all checks in their order. @param steps the requests that were sent; the first one writes */
export function checksOf(steps: readonly ProbeStep[]): Check[] {
  const first = steps[0]?.fault ?? null
  const stage = first === null ? null : (stageOf[first.kind] ?? 'write')
  return checkNames.map((check, i): Check => {
    if (stage !== null) return firstFailed(check, i - checkNames.indexOf(stage), explain(first!), steps[0]!.tookMs)
    const step = steps.find(({ did }) => did === check)
    if (step === undefined) return { check, result: i < 3 ? 'done' : 'notRun', tookMs: null, error: null }
    if (step.fault === null) return { check, result: 'done', tookMs: step.tookMs, error: null }
    return { check, result: 'failed', tookMs: step.tookMs, error: explain(step.fault) }
  })
}

/** A check of a test whose first request failed. @param distance from the failed check */
function firstFailed(check: CheckName, distance: number, error: string, tookMs: number): Check {
  if (distance === 0) return { check, result: 'failed', tookMs, error }
  return { check, result: distance < 0 ? 'done' : 'notRun', tookMs: null, error: null }
}

/** The credentials that the server of a database may have. */
import { isDeepStrictEqual } from 'node:util'
import type { Runtime } from '../../runtime.ts'
import { attemptedCredentials, openSettings, openTarget, type Settings, settingsOfVolume } from '../targets.ts'
import type { ProbeSubject } from './probe.ts'

/** All known credentials other than the target's, the most likely first. */
export function knownSettings({ vault }: Runtime, { row, target, volume }: ProbeSubject): Settings[] {
  const candidates = [
    settingsOfVolume(vault, volume),
    ...attemptedCredentials(vault, volume),
    openTarget(vault, 'lastGood', row)?.settings,
    openSettings(vault, 'database', row),
  ].filter((settings) => settings !== undefined)
  return candidates.filter(
    (settings, index) =>
      !isDeepStrictEqual(settings, target.settings) &&
      candidates.findIndex((other) => isDeepStrictEqual(other, settings)) === index,
  )
}

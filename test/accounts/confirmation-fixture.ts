/** A Berth in which dangerous calls need a code. Ada is an administrator with a second factor, Bob a user without one. */
import { unknownId } from '../sweep-inputs.ts'
import { type Berth, type Factor, minute, type Session, startTeam } from './auth-fixture.ts'

export interface Confirming {
  berth: Berth
  ada: Session
  bob: Session
  /** Ada's second factor. */
  factor: Factor
  /** A code of Ada that was not used yet. Moves the clock, because each code can be used once. */
  fresh(): string
}

/** @param isOn whether the setting is turned on */
export async function startConfirming(isOn = true): Promise<Confirming> {
  const { berth, ada, bob } = await startTeam()
  const factor = await berth.turnOn(ada.accessToken)
  const fresh = () => {
    berth.pass(minute)
    return berth.codeOf(factor.secret)
  }
  if (isOn) {
    const input = { confirmDangerousCalls: true, confirmationCode: fresh() }
    await berth.call('installation.updateSettings', input, ada.accessToken)
  }
  return { berth, ada, bob, factor, fresh }
}

/** A dangerous call that is refused with NOT_FOUND after its confirmation. */
export const removal = { volumeId: unknownId }

/** An operation, input that needs a code, and, if there is one, input of the same operation that needs none. */
export type DangerousCall = [operation: string, dangerous: object, harmless?: object]

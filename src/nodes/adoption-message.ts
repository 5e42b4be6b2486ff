/** Converts the reason why a volume is not taken back to a message. Pure. */
import { type Messages, reasonNames } from '../deployments/messages.ts'
import type { AdoptionFinding } from './adoptable.ts'

const messages: Messages<AdoptionFinding> = {
  VolumeNotFound: () => 'The node has no volume of this name',
  VolumeForeign: () =>
    'The node has a volume of this name, but this installation of Berth did not create it: its label is missing',
  MarkMissing: () => 'The data on the volume has no mark of Berth (the file berth-identity), so it may be other data',
  MarkDiffers: () => 'The volume has other data than at the last login: its mark (the file berth-identity) differs',
  MarkUnreadable: ({ detail }) => `The mark of the data could not be read: ${detail}`,
}

/** The codes of all findings, for the response schema. */
export const adoptionFindings = reasonNames(messages)

export function adoptionMessage(finding: AdoptionFinding): string {
  const render = messages[finding.reason] as (finding: AdoptionFinding) => string
  return render(finding)
}

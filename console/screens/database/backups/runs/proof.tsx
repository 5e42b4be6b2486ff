/** The proof of a dump: an icon of its own shape, a word and a colour. */
import type { ComponentChildren } from 'preact'
import { CheckIcon, CrossIcon, Icon, StoppedIcon, WorkingIcon } from '../../../../components/icons.tsx'
import type { Tone } from '../../../../components/state.tsx'
import { type Proof, proofWords } from './words.ts'

const VerifiedIcon = () => (
  <Icon>
    <path d="M8 1.5 13.5 3.5v4c0 3.4-2.3 5.9-5.5 7-3.2-1.1-5.5-3.6-5.5-7v-4z" />
    <path d="m5.4 7.9 1.9 1.9 3.3-3.8" />
  </Icon>
)
const NotVerifiableIcon = () => (
  <Icon>
    <circle cx="8" cy="8" r="6.25" />
    <path d="M6.2 6.3a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.7-.9 1.3M8 11.4v.1" />
  </Icon>
)
const DeletedIcon = () => (
  <Icon>
    <path d="M2.5 4.25h11M6 4V2h4v2M4 4.5l.6 9.25h6.8L12 4.5" />
  </Icon>
)
const MissedIcon = () => (
  <Icon>
    <path d="M8 2 14.5 13.5h-13z" stroke-dasharray="2.4 2.2" />
    <path d="M8 6.5v3.25M8 11.6v.1" />
  </Icon>
)

const shapes: Record<Proof, { tone: Tone; icon: () => ComponentChildren }> = {
  verified: { tone: 'good', icon: VerifiedIcon },
  readBack: { tone: 'good', icon: CheckIcon },
  notVerifiable: { tone: 'neutral', icon: NotVerifiableIcon },
  deleted: { tone: 'neutral', icon: DeletedIcon },
  failed: { tone: 'critical', icon: CrossIcon },
  missed: { tone: 'warning', icon: MissedIcon },
  cancelled: { tone: 'neutral', icon: StoppedIcon },
  working: { tone: 'working', icon: WorkingIcon },
}

/** @param children instead of the word, such as a number */
export function ProofState({ proof, children }: { proof: Proof; children?: ComponentChildren }) {
  const { tone, icon: ProofIcon } = shapes[proof]
  return (
    <span class={`state ${tone}`}>
      <ProofIcon />
      {children ?? proofWords[proof].word}
    </span>
  )
}

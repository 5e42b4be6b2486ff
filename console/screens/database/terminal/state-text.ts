/** What a person reads about the state of a session. Pure. */
import type { Tone } from '../../../components/state.tsx'
import type { SessionState } from './session.ts'

export function stateText(state: SessionState): { tone: Tone; text: string } {
  switch (state.state) {
    case 'connecting':
      return { tone: 'working', text: 'connecting: Berth starts the container' }
    case 'connected':
      return { tone: 'good', text: 'connected' }
    case 'ended':
      return state.exitCode === 0
        ? { tone: 'neutral', text: 'ended' }
        : { tone: 'warning', text: `ended with exit code ${state.exitCode}` }
    case 'failed':
      return { tone: 'critical', text: 'failed' }
    case 'lost':
      return { tone: 'critical', text: 'connection lost: Berth ends the session' }
    case 'closed':
      return { tone: 'neutral', text: 'ended by you' }
  }
}

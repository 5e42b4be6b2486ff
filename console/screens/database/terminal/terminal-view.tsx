/** A terminal in the page, with the state of its session below. */
import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../../../components/button.tsx'
import { copyText } from '../../../components/copy.tsx'
import { CheckField } from '../../../components/forms/fields.tsx'
import { Loading } from '../../../components/loaded.tsx'
import { ErrorNotice } from '../../../components/notice.tsx'
import { State } from '../../../components/state.tsx'
import { connectSession, refusalOf } from './connection.ts'
import { outputGate } from './output-gate.ts'
import type { Screen } from './screen.ts'
import { isOver, openSession, type Session } from './session.ts'
import { stateText } from './state-text.ts'

interface Props {
  databaseId: string
  /** The program, such as psql. */
  client: string
}

export function TerminalView({ databaseId, client }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const top = useRef<HTMLParagraphElement>(null)
  const foot = useRef<HTMLDivElement>(null)
  const session = useSignal<Session | null>(null)
  const isReaderMode = useSignal(false)
  const { screen, failure, again } = useScreen({
    box,
    session,
    onLeave: (direction) => (direction === 'forward' ? foot.current!.querySelector('button') : top.current)?.focus(),
  })
  const open = () => {
    if (screen.value !== null) session.value = startSession(databaseId, screen.value)
  }
  useEffect(open, [screen.value])
  useWarning(session)
  useEffect(() => screen.value?.setReaderMode(isReaderMode.value), [screen.value, isReaderMode.value])
  return (
    <>
      <p ref={top} tabIndex={-1} class="hint">
        <kbd>F6</kbd> moves the focus from the terminal to the buttons below, <kbd>Shift-F6</kbd> to here. While text is
        selected <kbd>Ctrl-C</kbd> copies it, and otherwise interrupts the client. <kbd>Ctrl-V</kbd> pastes. Other tabs
        of this database leave the session as it is; other screens end it.
      </p>
      {failure.value && (
        <ErrorNotice
          error={new Error('The terminal could not be loaded. Berth may have been upgraded, or is unreachable.')}
        >
          <Button onClick={again}>Try again</Button>
        </ErrorNotice>
      )}
      {screen.value === null && !failure.value && <Loading what="the terminal" />}
      <section class="terminal-box" aria-label={`Terminal with ${client}`}>
        <div class="terminal-screen" ref={box} />
      </section>
      <div class="stack" ref={foot}>
        {session.value !== null && <Foot session={session.value} open={open} />}
        <CheckField
          field={isReaderMode}
          label="Screen reader mode"
          hint="A screen reader reads the output aloud, line by line."
        />
      </div>
    </>
  )
}

interface ScreenProps {
  box: { current: HTMLElement | null }
  session: Signal<Session | null>
  onLeave: (direction: 'forward' | 'backward') => void
}

/** Loads xterm, and draws until the component leaves the page. Then the session ends. */
function useScreen({ box, session, onLeave }: ScreenProps) {
  const screen = useSignal<Screen | null>(null)
  const failure = useSignal(false)
  const attempt = useSignal(0)
  useEffect(() => {
    let isLeft = false
    failure.value = false
    import('./screen.ts').then(
      ({ openScreen }) => {
        if (isLeft) return
        screen.value = openScreen({
          ...{ parent: box.current!, isReaderMode: false, onCopy: copyText, onLeave },
          onInput: (input) => session.peek()?.send(input),
          onResize: (size) => session.peek()?.resize(size),
        })
      },
      () => (failure.value = true),
    )
    return () => {
      isLeft = true
      session.peek()?.close()
      screen.peek()?.dispose()
    }
  }, [attempt.value])
  return { screen, failure, again: () => attempt.value++ }
}

/** Ctrl-W removes a word in a client, and closes the tab in a browser. So the browser asks before the session is lost. */
function useWarning(session: Signal<Session | null>) {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (session.peek()?.state.peek().state === 'connected') event.preventDefault()
    }
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [])
}

/** Leaves the alternate screen and the modes of a session (mouse, paste, cursor keys), and keeps its output. */
const freshLine = '\u001b[?1047l\u001b[!p\u001b[?1000;1002;1003;1006;2004;1l\u001b[0m\r\n'

function startSession(databaseId: string, screen: Screen): Session {
  const size = screen.size()
  const session = openSession({
    ...size,
    connect: () => connectSession(databaseId, size),
    refusal: () => refusalOf(databaseId, size),
    onOutput: outputGate(screen.write),
  })
  session.state.subscribe((state) => {
    screen.allowInput(state.state === 'connected')
    if (isOver(state)) screen.write(freshLine)
  })
  screen.focus()
  return session
}

function Foot({ session, open }: { session: Session; open: () => void }) {
  const state = session.state.value
  const { tone, text } = stateText(state)
  return (
    <>
      {state.state === 'failed' && <ErrorNotice error={state.error} />}
      <div class="log-foot terminal-foot">
        <span role="status">
          <State tone={tone}>{text}</State>
        </span>
        {isOver(state) ? (
          <Button onClick={open}>Open a new session</Button>
        ) : (
          <Button onClick={session.close}>End the session</Button>
        )}
      </div>
    </>
  )
}

/** Screens are loaded when they are opened first, so that the first screen is there sooner. */
import { type Signal, useSignal } from '@preact/signals'
import { type ComponentType, Fragment, type RenderableProps } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from './components/button.tsx'
import { Loading } from './components/loaded.tsx'
import { ErrorNotice } from './components/notice.tsx'

/** The parameters of a route are the properties of its screen. */
export type Parameters = Record<string, string>
type Module = { default: ComponentType<Parameters> }

/** @param Frame what is around the messages while the screen is not there */
export function screenOf(
  load: () => Promise<Module>,
  Frame: ComponentType<RenderableProps<object>> = Fragment,
): ComponentType<Parameters> {
  let loaded: ComponentType<Parameters> | null = null
  return function LazyScreen(parameters: Parameters) {
    const attempt = useSignal(0)
    const state = useSignal<'loading' | 'loaded' | 'failed'>(loaded === null ? 'loading' : 'loaded')
    useEffect(() => {
      if (loaded !== null) return
      state.value = 'loading'
      load().then(
        (module) => {
          loaded = module.default
          state.value = 'loaded'
        },
        () => {
          state.value = 'failed'
        },
      )
    }, [attempt.value])
    if (state.value === 'loaded' && loaded !== null) {
      const Screen = loaded
      return <Screen {...parameters} />
    }
    return <Frame>{state.value === 'loading' ? <Loading what="the screen" /> : <NotLoaded attempt={attempt} />}</Frame>
  }
}

/** After an upgrade of Berth the names of its files are others. */
function NotLoaded({ attempt }: { attempt: Signal<number> }) {
  return (
    <ErrorNotice error={new Error('The screen could not be loaded. Berth may have been upgraded, or is unreachable.')}>
      <div class="buttons">
        <Button onClick={() => attempt.value++}>Try again</Button>
        <Button onClick={() => location.reload()}>Load the page anew</Button>
      </div>
    </ErrorNotice>
  )
}

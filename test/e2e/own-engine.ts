/**
 * An engine of the test's own, in a network namespace, that can be killed and started again without harm to anybody:
 * its socket, data and network are its own. Images are copied from the machine's engine.
 */
import { copyImages, hostIn, run, sweep } from './host.ts'

export async function ownEngine(folder: string, images: string[]) {
  await sweep()
  await using opened = new AsyncDisposableStack()
  const name = `berth-${process.pid}`
  await run('ip', ['netns', 'add', name])
  opened.defer(async () => {
    await run('ip', ['netns', 'del', name])
  })
  await connect(name)
  const it = hostIn(name, folder, 'own-engine')
  opened.defer(it.remove)
  await it.start()
  await copyImages(images, it.host)
  const end = opened.move()
  return { ...it, remove: () => end.disposeAsync() }
}

/** With loopback and an address of its own, and no way out: a pull then fails at once. */
async function connect(name: string) {
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  await run('ip', ['-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0'])
  await run('ip', ['-n', name, 'addr', 'add', '10.77.9.1/24', 'dev', 'eth0'])
  for (const device of ['eth0', 'peer0']) await run('ip', ['-n', name, 'link', 'set', device, 'up'])
}

/**
 * A second Docker engine that a test can kill and restart. The engine has its own socket, data and network, so the
 * machine's engine is not affected.
 */
import { copyImages, createHost, run, removeLeftovers } from './host.ts'
import { linkImages } from './linked-images.ts'

/** Starts the engine with these images of the machine's engine. */
export async function startOwnEngine(folder: string, images: string[]) {
  await removeLeftovers()
  await using opened = new AsyncDisposableStack()
  const name = `berth-${process.pid}`
  await run('ip', ['netns', 'add', name])
  opened.defer(async () => {
    await run('ip', ['netns', 'del', name])
  })
  await connect(name)
  const engineHost = createHost(name, folder, 'own-engine')
  opened.defer(engineHost.remove)
  const areLinked = await linkImages(images, engineHost.data)
  await engineHost.start()
  if (!areLinked) await copyImages(images, engineHost.host)
  const end = opened.move()
  return { ...engineHost, remove: () => end.disposeAsync() }
}

/** Gives the namespace loopback and an address, but no route to the internet: pulling an image then fails at once. */
async function connect(name: string) {
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  await run('ip', ['-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', 'peer0'])
  await run('ip', ['-n', name, 'addr', 'add', '10.77.9.1/24', 'dev', 'eth0'])
  for (const device of ['eth0', 'peer0']) await run('ip', ['-n', name, 'link', 'set', device, 'up'])
}

/**
 * Entry point of the worker, a container on the node of a database. It exchanges dumps with the storage; with the
 * argument `certificate` it prints which certificate the server presents.
 */
import { directly } from './databases/tls/replace/handshake.ts'
import { runWorker } from './dumps/direct/worker/run-worker.ts'

const { stdin, stdout, argv } = process
if (argv[2] === 'certificate') {
  stdout.end(JSON.stringify(await directly(JSON.parse(argv[3]!))))
} else {
  process.exitCode = await runWorker({ stdin, stdout })
  // The pipe of a tool that never started may still be waiting.
  stdout.end(() => process.exit())
}

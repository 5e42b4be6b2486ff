/** The program of a worker: a bundle of src/worker.ts in one file, which the bundler makes. */
import { readFile } from 'node:fs/promises'

/** The bundle is beside Berth's own; if Berth runs from source, in dist/. */
const isSource = import.meta.url.endsWith('/src/dumps/direct/program.ts')
const bundle = new URL(isSource ? '../../../dist/worker.mjs' : './worker.mjs', import.meta.url)

/** Reads the program. The file has 260 kB, and is needed only for the start of a worker. */
export const workerProgram = (): Promise<string> => readFile(bundle, 'utf8')

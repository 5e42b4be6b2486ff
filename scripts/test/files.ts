/** The test files of each scope, and which of them may run at the same time. */
import { globSync } from 'node:fs'
import { relative, resolve } from 'node:path'

const scopes: Record<string, string[]> = {
  console: ['console/**/*.test.ts', 'test/{,e2e/}console/*.test.ts'],
  crash: ['test/crash/*.long.ts'],
  soak: ['test/soak/*.long.ts'],
  release: ['test/e2e/release/*.{test,long}.ts'],
  versions: [
    'test/e2e/versions.long.ts',
    'test/e2e/{dumps,redis-dumps,kinds,backups,own-account,{mysql,mongo,postgres,redis}-kind*}.test.ts',
  ],
  // Some tests of faults are in the folder of their feature.
  faults: [
    'test/faults/*.{test,long}.ts',
    'test/start.test.ts',
    'test/http/{sockets,errors}.test.ts',
    'src/http/*.test.ts',
    'src/engine/docker/transport/client.test.ts',
    'src/store/{sqlite/open,migrations}.test.ts',
    'src/accounts/attempts.test.ts',
    'src/lib/async/loop.test.ts',
    'test/installation/*.test.ts',
    'test/databases/work-*.test.ts',
    'test/{accounts,api,backups,databases,nodes,registries}/*-{crash,clock,attacks,races,faults}.test.ts',
    'test/e2e/{engine-outage,failures,*-faults,*crash,restore-in-place,backup-clock,nodes}.test.ts',
  ],
}

/** A slow file starts after all quick files have passed. It keeps its temporary files on disk, not in memory. */
export const isSlow = (file: string): boolean => /^test\/(?:e2e|faults)\/|\.long\.ts$/.test(file)

// Files of the same group never run at the same time: they use a single resource (the proxy of the swarm, its registry,
// the labels of its node), or several engines each.
const exclusive = [
  /^test\/e2e\/(?:crash|engine\.|routing|ports|certificates|acme|proxy-process|own-registry)/,
  /^test\/e2e\/(?:console\/)?(?:move|nodes|returned-node|swarm-anew)/,
]

/** @returns the number of the file's group, or -1 for a file that may run beside any other */
export const groupOf = (file: string): number => exclusive.findIndex((group) => group.test(file))

/**
 * @param scope as in `./berth test SCOPE`
 * @param patterns glob patterns, relative to the working directory, that replace those of the scope
 */
export function filesOf(scope: string, patterns: string[]): string[] {
  const wanted = patterns.length > 0 ? patterns : (scopes[scope] ?? ['{src,console,shared,test}/**/*.test.ts'])
  return globSync(wanted)
    .map((file) => relative('.', resolve(file)))
    .sort()
    .filter((file) => scope !== (isSlow(file) ? 'unit' : 'e2e'))
}

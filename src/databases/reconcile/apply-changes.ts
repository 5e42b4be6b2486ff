/** Carries out the planned changes of a database's Swarm services. */
import type { Change } from '../../engine/plan.ts'
import type { Runtime } from '../../runtime.ts'

/** Applies all changes concurrently. Ignores conflicts, because decide.ts ends the deployment if there is one. */
export async function applyChanges({ engine }: Pick<Runtime, 'engine'>, changes: Change[]): Promise<void> {
  await Promise.all(changes.map((change) => apply(engine, change)))
}

function apply(engine: Runtime['engine'], change: Change): Promise<void> | undefined {
  switch (change.do) {
    case 'create':
      return engine.createService(change.spec)
    case 'update':
      return engine.updateService(change.spec)
    case 'remove':
      return engine.removeService(change.name)
    case 'conflict':
      return undefined
  }
}

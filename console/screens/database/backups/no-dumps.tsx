/** Redis has no dumps: what to do instead. */
import { Empty } from '../../../components/page.tsx'

export const NoDumps = () => (
  <Empty title="Berth cannot dump Redis">
    Redis keeps its data on its volume, and the volume survives deploys, restarts and moves of the container, but not
    the loss of the disk. Use Redis for what can be computed anew, such as a cache or a queue, and keep the originals in
    a database that has backups. If the data is needed, copy it yourself with <code>redis-cli --rdb FILE</code> from a
    machine that reaches the database.
  </Empty>
)

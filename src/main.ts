/** The entry: acts when it is run, unlike every other module. */
import { start } from './start.ts'

await start(process.env)

/** The named pipes between a worker and the containers of tools, in a volume that only these containers have. */

/** The folder of the pipes in every one of these containers. */
export const pipesFolder = '/berth/pipes'

/** `dumped`: the output of a dump tool. `loaded`: the input of a restore tool. `packed` and `unpacked`: of `unpack`. */
export const pipeNames = ['dumped', 'loaded', 'packed', 'unpacked'] as const

export type PipeName = (typeof pipeNames)[number]

export const pipePath = (name: PipeName, folder = pipesFolder): string => `${folder}/${name}`

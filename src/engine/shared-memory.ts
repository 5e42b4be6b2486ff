/** The size of /dev/shm in the containers of database servers, also of temporary ones. */

const mebibyte = 1024 * 1024
const unlimitedMib = 1024

/**
 * Returns the size of /dev/shm in bytes. What a server stores there counts against the memory limit, so the size is the
 * whole limit, or 1 GiB without a limit. With Docker's default of 64 MiB, parallel queries of PostgreSQL fail.
 *
 * @param memoryLimitMib the memory limit of the container, or null if there is none
 */
export const sharedMemoryBytes = (memoryLimitMib: number | null): number =>
  Math.round((memoryLimitMib ?? unlimitedMib) * mebibyte)

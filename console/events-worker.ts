/** A shared worker: follows the events of Berth on one connection for all tabs of the console. */
export {}

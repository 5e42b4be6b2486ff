// Prints the figures of a server, each as a name and a number.

const numberOf = (value) => (typeof value === "object" && value !== null && value.toNumber ? value.toNumber() : Number(value));

function main() {
  const status = runOrThrow(login(), { serverStatus: 1, repl: 0, metrics: 0, locks: 0, network: 0, tcmalloc: 0 });
  const counts = status.opcounters;
  const cache = (status.wiredTiger || {}).cache || {};
  const operations = ["insert", "query", "update", "delete", "getmore", "command"];
  printLine("connections " + numberOf(status.connections.current));
  printLine("available " + numberOf(status.connections.available));
  printLine("operations " + operations.reduce((sum, name) => sum + numberOf(counts[name]), 0));
  printLine("cacheRequests " + numberOf(cache["pages requested from the cache"]));
  printLine("cacheReads " + numberOf(cache["pages read into cache"]));
}

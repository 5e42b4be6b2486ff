// Lists the names of the databases, all users and roles, and the collections of the database `admin`. Users are listed
// with their password hashes, except the user of the settings. Berth's own account is not listed. Keys are sorted,
// because the server returns them in any order. The temporary collections of a restore that was killed are not listed.

function sorted(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(sorted).map((item) => JSON.stringify(item)).sort();
  const result = {};
  Object.keys(value).sort().forEach((key) => { result[key] = sorted(value[key]); });
  return result;
}

function hex(text) {
  const bytes = unescape(encodeURIComponent(text)).split("");
  return bytes.map((byte) => ("0" + byte.charCodeAt(0).toString(16)).slice(-2)).join("");
}

function all(admin, command) {
  const cursor = runOrThrow(admin, command).cursor;
  if (String(cursor.id).replace(/[^0-9]/g, "") !== "0") throw new Error("The server has too many users or roles");
  return cursor.firstBatch;
}

function main() {
  const admin = login();
  const printEntry = (type, text) => printLine(type + "\t" + text);
  runOrThrow(admin, { listDatabases: 1, nameOnly: true }).databases.forEach((database) => {
    if (["admin", "config", "local"].indexOf(database.name) < 0) printEntry("database", hex(database.name));
  });
  ["users", "roles"].forEach((type) => all(admin, { find: "system." + type, batchSize: 100000 }).forEach((entry) => {
    delete entry.userId;
    if (entry.db === "admin" && entry.user === input.ownUser) return;
    if (entry.db === "admin" && entry.user === input.settingsUser) delete entry.credentials;
    const entryType = entry.db === "admin" ? type + " of the server" : type;
    printEntry(entryType, entry._id + "\t" + JSON.stringify(sorted(entry)));
  }));
  all(admin, { listCollections: 1, cursor: { batchSize: 100000 } }).forEach((collection) => {
    const name = JSON.stringify(collection.name);
    if (!/^(system\.|temp(users|roles)$)/.test(collection.name)) printEntry("collection of the database admin", name);
  });
}

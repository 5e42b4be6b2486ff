// Lists the databases by name, all users and roles (with password hashes, except of the user that logs in), and the
// collections of the database `admin`. Keys are sorted, because the server gives them in any order.

function ordered(it) {
  if (it === null || typeof it !== "object") return it;
  if (Array.isArray(it)) return it.map(ordered).map((one) => JSON.stringify(one)).sort();
  const found = {};
  Object.keys(it).sort().forEach((key) => { found[key] = ordered(it[key]); });
  return found;
}

function hex(text) {
  const bytes = unescape(encodeURIComponent(text)).split("");
  return bytes.map((sign) => ("0" + sign.charCodeAt(0).toString(16)).slice(-2)).join("");
}

function all(admin, command) {
  const cursor = must(admin, command).cursor;
  if (String(cursor.id).replace(/[^0-9]/g, "") !== "0") throw new Error("There are too many users or roles");
  return cursor.firstBatch;
}

function main() {
  const admin = login();
  const line = (sort, value) => say(sort + "\t" + value);
  must(admin, { listDatabases: 1, nameOnly: true }).databases.forEach((it) => {
    if (["admin", "config", "local"].indexOf(it.name) < 0) line("database", hex(it.name));
  });
  ["users", "roles"].forEach((sort) => all(admin, { find: "system." + sort, batchSize: 100000 }).forEach((it) => {
    delete it.userId;
    if (it.db === "admin" && it.user === given.user) delete it.credentials;
    line(it.db === "admin" ? sort + " of the server" : sort, it._id + "\t" + JSON.stringify(ordered(it)));
  }));
  all(admin, { listCollections: 1, cursor: { batchSize: 100000 } }).forEach((it) => {
    if (!/^system\./.test(it.name)) line("collection of the database admin", JSON.stringify(it.name));
  });
}

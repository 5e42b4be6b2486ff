// Logs in and prints the version. If the server has to be a replica set, exits with {{unprepared}} until it is initiated
// and its member has the host name of the server, and fails until it is the primary. Fails if a client without a login can run commands, because a server without
// authentication accepts every password. Error 13 is Unauthorized. Then prints the data path and the symbolic links in it,
// such as journal. A user who may not read the options has an existing database, whose options Berth has set.

function main() {
  const admin = login();
  if (input.replicaSet) {
    if (needsPreparation(admin)) quit({{unprepared}});
    if (!isPrimary(admin)) throw new Error("The server is not the primary of its replica set yet");
  }
  const command = { usersInfo: { user: input.user, db: "admin" } };
  runOrThrow(admin, command);
  const withoutLogin = run(connect(), command);
  if (withoutLogin.ok === 1) {
    throw new Error("The server accepts clients without a login: remove the option that disables authentication");
  }
  if (withoutLogin.code !== 13) throw new Error("Error without a login: " + withoutLogin.errmsg);
  printLine(runOrThrow(admin, { buildInfo: 1 }).version.split(".").slice(0, 2).join("."));
  const options = run(admin, { getCmdLineOpts: 1 });
  const storage = (options.ok === 1 && options.parsed.storage) || {};
  const path = storage.dbPath || "{{dataPath}}";
  ["", "/*", "/*/*"].forEach((files) => printLine(path + files));
}

// The beginning of each program. Works in both shells: mongo (up to 5) and mongosh (since 5). If a command fails, mongo
// returns a response with the error, and mongosh throws.

const channel = "/dev/fd/3";
const textOf = (path) => (typeof process === "object" ? require("fs").readFileSync(path, "utf8") : cat(path));
const lines = textOf(channel).split("\n");
const input = JSON.parse(lines[0]);
const printLine = (text) => print("berth: " + String(text).split("\n").join(" "));

function run(admin, command) {
  try {
    const response = admin.runCommand(command);
    return response;
  } catch (error) {
    return { ok: 0, code: error.code, errmsg: error.message };
  }
}

function runOrThrow(admin, command) {
  const response = run(admin, command);
  if (response.ok !== 1) throw new Error(Object.keys(command)[0] + ": " + response.errmsg);
  return response;
}

function connect() {
  return new Mongo(input.url).getDB("admin");
}

function login() {
  const admin = connect();
  const isLoggedIn = admin.auth({ user: input.user, pwd: input.password });
  if (!isLoggedIn) throw new Error("Authentication failed.");
  return admin;
}

const notYetInitialized = 94;

/** The configuration of the replica set; null before it is initiated. */
function configurationOf(admin) {
  const status = run(admin, { replSetGetStatus: 1 });
  if (status.code === notYetInitialized) return null;
  const response = run(admin, { replSetGetConfig: 1 });
  if (response.code === notYetInitialized) return null;
  if (response.ok !== 1) throw new Error("The server shows no replica set: " + response.errmsg);
  const name = response.config._id;
  if (name !== input.replicaSet) throw new Error("The data belongs to the replica set " + name + ": use this name");
  return response.config;
}

/** The name with which the server finds itself, and clients on its network find it. */
const hostOf = (admin) => runOrThrow(admin, { hostInfo: 1 }).system.hostname + ":{{port}}";

/** Several members: somebody else has configured the set. */
function needsPreparation(admin) {
  const configuration = configurationOf(admin);
  if (configuration === null) return true;
  return configuration.members.length === 1 && configuration.members[0].host !== hostOf(admin);
}

const isPrimary = (admin) => run(admin, { isMaster: 1 }).ismaster === true;

const infoOf = (user) => ({ usersInfo: { user: user, db: "admin" }, showAuthenticationRestrictions: true });

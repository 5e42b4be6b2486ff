// Makes Berth's own account, or gives it its password and the role root again. In the maintenance mode there is no login,
// and a replica set accepts the key of its members.

function loginWithKey() {
  const admin = connect();
  const key = textOf(input.keyPath).trim();
  const isLoggedIn = admin.getSiblingDB("local").auth({ user: "__system", pwd: key, mechanism: "SCRAM-SHA-1" });
  if (!isLoggedIn) throw new Error("The server refuses the key of the replica set");
  return admin;
}

function main() {
  const admin = input.user ? login() : input.keyPath ? loginWithKey() : connect();
  const existing = runOrThrow(admin, infoOf(input.ownUser)).users[0];
  const command = existing ? { updateUser: input.ownUser } : { createUser: input.ownUser };
  command.pwd = input.ownPassword;
  command.roles = [{ role: "root", db: "admin" }];
  command.writeConcern = { w: "majority", j: true, wtimeout: 5000 };
  runOrThrow(admin, command);
}

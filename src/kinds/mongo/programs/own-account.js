// Makes Berth's own account, or gives it its password and the role root again. In the maintenance mode there is no login.

function main() {
  const admin = input.user ? login() : connect();
  const existing = runOrThrow(admin, infoOf(input.ownUser)).users[0];
  const command = existing ? { updateUser: input.ownUser } : { createUser: input.ownUser };
  command.pwd = input.ownPassword;
  command.roles = [{ role: "root", db: "admin" }];
  command.writeConcern = { w: "majority", j: true, wtimeout: 5000 };
  runOrThrow(admin, command);
}

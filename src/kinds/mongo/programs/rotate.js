// Changes the user with two commands, as the old user or as Berth's own account. The first command creates or updates the
// new user with all roles of the old user. The second command gives the old user a random password. Between the commands
// both users can log in. Each change is durable before the next command, so a crash cannot restore the old password.

const durable = { w: "majority", j: true, wtimeout: 10000 };

function main() {
  const admin = login();
  const old = runOrThrow(admin, infoOf(input.oldUser)).users[0];
  if (input.newUser === input.oldUser) {
    runOrThrow(admin, setPassword(input.oldUser, input.newPassword, old));
    return;
  }
  const existing = runOrThrow(admin, infoOf(input.newUser)).users[0];
  runOrThrow(admin, existing ? updateUser(old, existing) : createUser(old));
  runOrThrow(admin, setPassword(input.oldUser, lines[1], old));
}

/** Keeps the mechanisms of the old user. Servers before 4.0 have no mechanisms. */
function setPassword(user, password, old) {
  const command = { updateUser: user, pwd: password, writeConcern: durable };
  if (old.mechanisms) command.mechanisms = old.mechanisms;
  return command;
}

function createUser(old) {
  const command = { createUser: input.newUser, pwd: input.newPassword, roles: old.roles, writeConcern: durable };
  ["customData", "mechanisms", "authenticationRestrictions"].forEach((name) => {
    if (old[name]) command[name] = old[name];
  });
  return command;
}

/** The existing user keeps its roles and its custom data. */
function updateUser(old, existing) {
  const command = setPassword(input.newUser, input.newPassword, old);
  const key = (role) => JSON.stringify([role.db, role.role]);
  const existingRoles = existing.roles.map(key);
  command.roles = existing.roles.concat(old.roles.filter((role) => existingRoles.indexOf(key(role)) < 0));
  command.authenticationRestrictions = old.authenticationRestrictions || [];
  return command;
}

// The first command gives the new user all rights; the second gives the old user a random password. In between both
// users work. Each change is durable before the next, so no crash brings the old password back.

const durable = { w: "majority", j: true, wtimeout: 10000 };

function main() {
  const admin = login();
  const old = must(admin, infoOf(given.user)).users[0];
  if (given.newUser === given.user) {
    must(admin, secretOf(given.user, given.newPassword, old));
    return;
  }
  const there = must(admin, infoOf(given.newUser)).users[0];
  must(admin, there ? updated(old, there) : created(old));
  must(admin, secretOf(given.user, lines[1], old));
}

/** The mechanisms that a user has are kept; servers before 4.0 know none. */
function secretOf(user, password, old) {
  const command = { updateUser: user, pwd: password, writeConcern: durable };
  if (old.mechanisms) command.mechanisms = old.mechanisms;
  return command;
}

function created(old) {
  const command = { createUser: given.newUser, pwd: given.newPassword, roles: old.roles, writeConcern: durable };
  ["customData", "mechanisms", "authenticationRestrictions"].forEach((name) => {
    if (old[name]) command[name] = old[name];
  });
  return command;
}

/** A user that exists keeps the roles that it has, and its own custom data. */
function updated(old, there) {
  const command = secretOf(given.newUser, given.newPassword, old);
  const key = (role) => JSON.stringify([role.db, role.role]);
  const held = there.roles.map(key);
  command.roles = there.roles.concat(old.roles.filter((role) => held.indexOf(key(role)) < 0));
  command.authenticationRestrictions = old.authenticationRestrictions || [];
  return command;
}

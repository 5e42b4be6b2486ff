// Makes the server the primary of its replica set of one: initiates the set, or gives its only member the host name of the
// server, which differs if the data was that of another database. Then waits until the server is the primary.

function main() {
  const admin = login();
  const configuration = configurationOf(admin);
  if (configuration === null) {
    const members = [{ _id: 0, host: hostOf(admin) }];
    runOrThrow(admin, { replSetInitiate: { _id: input.replicaSet, members: members } });
  } else if (needsPreparation(admin)) {
    configuration.members[0].host = hostOf(admin);
    configuration.version += 1;
    // Without force, only a primary accepts a configuration. A server that does not find itself is no primary.
    runOrThrow(admin, { replSetReconfig: configuration, force: true });
  }
  for (let tries = 0; !isPrimary(admin); tries += 1) {
    if (tries === 100) throw new Error("The server did not become the primary of its replica set");
    sleep(200);
  }
}

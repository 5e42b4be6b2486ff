// Drops the database with everything in it except its users. The database `admin` belongs to the server and stays.

function main() {
  const admin = login();
  if (given.database !== "admin") must(admin.getSiblingDB(given.database), { dropDatabase: 1 });
}

-- Prints the settings of the database, for all roles, as a JSON array of NAME=value.

SELECT coalesce(
  (SELECT to_json(setconfig) FROM pg_db_role_setting JOIN pg_database ON pg_database.oid = setdatabase
    WHERE datname = current_database() AND setrole = 0), '[]');

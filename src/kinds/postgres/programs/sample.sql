-- One row with the figures of a server. The session that asks is not counted as a connection, and neither are the server's
-- own processes: the column numbackends has those of autovacuum too.
SELECT (SELECT count(*) FROM pg_stat_activity WHERE {{client}} AND pid <> pg_backend_pid()),
current_setting('max_connections'), sum(xact_commit + xact_rollback), sum(blks_hit), sum(blks_read),
(SELECT max({{difference}}({{position}}, restart_lsn)) FROM pg_replication_slots WHERE NOT pg_is_in_recovery()),
(SELECT coalesce(round(extract(epoch FROM max(clock_timestamp() - xact_start))::numeric, 3), 0) FROM pg_stat_activity
WHERE {{client}} AND pid <> pg_backend_pid())
FROM pg_stat_database;

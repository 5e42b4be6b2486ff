-- Runs at the start of each session, after the statements for both products.
set session slow_query_log = 0, session old_passwords = 0;

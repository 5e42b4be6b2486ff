-- Prints the options of PGOPTIONS for those settings in BERTH_SESSION that the server has, and that the role may set.

\set ON_ERROR_STOP on
\set VERBOSITY terse
\set session `printf %s "$BERTH_SESSION"`
SELECT string_agg('-c ' || wanted, ' ') FROM jsonb_array_elements_text(:'session'::jsonb) AS wanted
  JOIN pg_settings ON lower(name) = lower(split_part(wanted, '=', 1))
 WHERE context = 'user' OR (SELECT rolsuper FROM pg_roles WHERE rolname = session_user);

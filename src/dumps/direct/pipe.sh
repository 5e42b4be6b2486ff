# pipe.sh INPUT OUTPUT PROGRAM...: runs a program between two named pipes, which the worker has made. Opening a pipe
# waits for its other end.
input=$1 output=$2
shift 2
exec "$@" <"$input" >"$output"

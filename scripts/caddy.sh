# caddy.sh: copies the caddy program out of its image, for the tests that run it as a process. Sourced by ./berth.
# shellcheck shell=sh disable=SC2154 # root is set by ./berth

caddy_image=caddy:2
caddy_folder=$root/node_modules/.cache/berth-caddy # test/e2e/caddy.ts uses this path

# Call this after ensure_images, which provides the image.
ensure_caddy() {
  ensure_program openssl openssl # for the certificates of the tests
  caddy_id=$(docker image inspect --format '{{.Id}}' "$caddy_image")
  [ ! -x "$caddy_folder/caddy" ] || [ "$(cat "$caddy_folder/image" 2>/dev/null)" != "$caddy_id" ] || return 0
  step "copying caddy out of the image $caddy_image" copy_caddy
}

# The image's id is written last, so that an interrupted copy is repeated.
copy_caddy() {
  mkdir -p "$caddy_folder"
  rm -f "$caddy_folder/image"
  caddy_container=$(docker create "$caddy_image")
  trap 'docker rm "$caddy_container"' EXIT
  docker cp "$caddy_container:/usr/bin/caddy" "$caddy_folder/caddy.new"
  mv "$caddy_folder/caddy.new" "$caddy_folder/caddy"
  echo "$caddy_id" >"$caddy_folder/image"
}

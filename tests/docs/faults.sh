#!/usr/bin/env bash
# faults.sh: each page in faults/ has one fault, and its first line says what run.sh must say of it:
# <!-- LINE: MESSAGE -->. A page whose first line is <!-- none --> has no fault.
set -uo pipefail
cd "$(dirname "$0")" || exit 1
bad=0 count=0
for page in faults/*.md; do
  count=$((count + 1))
  read -r first <"$page"
  expected=${first#<!-- }
  expected=${expected% -->}
  printed=$(./run.sh "$page" 1)
  status=$?
  if [ "$expected" = none ]; then
    [ $status -eq 0 ] && continue
  elif [ $status -eq 1 ] && grep -qF -- "$page:$expected" <<<"$printed" &&
    grep -q ' 1 failures$' <<<"$printed"; then
    continue
  fi
  bad=$((bad + 1))
  printf '%s: status %d, expected "%s", got:\n%s\n' "$page" $status "$expected" "$printed"
done
echo "$count pages, $bad not as expected"
[ $bad -eq 0 ] && [ $count -gt 10 ]
